/** Longest function name of this wire. */
export const toolNameCharsMax = 64;
