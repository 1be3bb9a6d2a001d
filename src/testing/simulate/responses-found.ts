import type { Found } from "./rule.ts";

/** The service's own words for what it finds wrong (PROTOCOLS B.6). */
export function missingParameter(param: string): Found {
  return { message: `Missing required parameter: '${param}'.`, code: "missing_required_parameter", param };
}

export function unknownParameter(param: string): Found {
  return { message: `Unknown parameter: '${param}'.`, code: "unknown_parameter", param };
}

export function invalidValue(value: unknown, supported: readonly string[], param: string): Found {
  const names = supported.map((name) => `'${name}'`).join(", ");
  return {
    message: `Invalid value: '${String(value)}'. Supported values are: ${names}.`,
    code: "invalid_value",
    param,
  };
}

export function invalidType(param: string, expected: string): Found {
  return { message: `Invalid type for '${param}': expected ${expected}.`, code: "invalid_type", param };
}

export function notSupported(param: string, model: string): Found {
  return {
    message: `Unsupported parameter: '${param}' is not supported with this model (${model}).`,
    code: "unsupported_parameter",
    param,
  };
}

export function notPlayed(param: string): Found {
  return { message: `'${param}' is not played by this simulator.`, code: "not_played", param };
}
