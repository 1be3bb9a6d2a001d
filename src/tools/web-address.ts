import { bounds } from "../kernel/bounds.ts";

/** What is wrong with an address of the web for whoever may only reach public servers; null: nothing. */
export function urlFault(text: string, privateHosts: readonly string[]): string | null {
  if (text.length > bounds.webUrlCharsMax) return `longer than ${bounds.webUrlCharsMax} characters`;
  if (!URL.canParse(text)) return "expected a whole address, such as https://example.org/page";
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") return `only http and https, got ${url.protocol}`;
  if (url.username !== "" || url.password !== "") return "an address with a user or password is not fetched";
  return privateHosts.includes(hostAndPort(url)) ? null : hostFault(url.hostname);
}

/** With the port also where it is the usual one. */
export function hostAndPort({ hostname, port, protocol }: URL): string {
  return `${hostname}:${port || (protocol === "https:" ? "443" : "80")}`;
}

/** Every spelling of an IPv4 address (decimal, octal, hex, short) was made dotted by the URL parser. */
function hostFault(hostname: string): string | null {
  const host = hostname.toLowerCase().replace(/\.$/, "");
  if (host.startsWith("[")) return addressFault(host.slice(1, -1));
  if (/^[\d.]+$/.test(host)) return addressFault(host);
  const isPrivate = privateNames.some((name) => host === name || host.endsWith(`.${name}`));
  return isPrivate || host === "" ? `${host} names a host of a private network, which is not fetched` : null;
}

const privateNames = ["localhost", "localdomain", "local", "internal", "intranet", "lan", "corp", "home", "home.arpa"];

/** null: a public address. What cannot be read as an address is none. */
export function addressFault(address: string): string | null {
  const v4 = bitsOfV4(address);
  const isPublic =
    v4 === null ? isPublicV6(address) : !blockedV4.some(([base, size]) => startsWith(v4, base, size, 32));
  return isPublic ? null : `${address} is not a public address, and others are not fetched`;
}

type Block = readonly [base: bigint, prefixBits: number];

/** Special-purpose blocks (IANA), multicast, and a cloud's own service under a public number. */
const blockedV4: readonly Block[] = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "168.63.129.16/32",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/3",
].map((text) => blockOf(text, bitsOfV4));

/** Public is only what is assigned as global unicast; tunnels and embedded IPv4 (6to4, Teredo, NAT64, mapped) are not. */
function isPublicV6(address: string): boolean {
  const bits = bitsOfV6(address);
  if (bits === null || !startsWith(bits, globalV6[0], globalV6[1], 128)) return false;
  return !blockedV6.some(([base, size]) => startsWith(bits, base, size, 128));
}

const globalV6 = blockOf("2000::/3", bitsOfV6);
const blockedV6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"].map((text) => blockOf(text, bitsOfV6));

function blockOf(text: string, bitsOf: (address: string) => bigint | null): Block {
  const [address = "", size] = text.split("/");
  return [bitsOf(address) ?? 0n, Number(size)];
}

function startsWith(bits: bigint, base: bigint, prefixBits: number, width: number): boolean {
  const rest = BigInt(width - prefixBits);
  return bits >> rest === base >> rest;
}

function bitsOfV4(address: string): bigint | null {
  const parts = address.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) <= 255)) return null;
  return parts.reduce((bits, part) => (bits << 8n) | BigInt(part), 0n);
}

function bitsOfV6(address: string): bigint | null {
  const halves = address.split("::");
  const groups = halves.map((half) => (half === "" ? [] : half.split(":").flatMap(groupsOf)));
  const [front = [], back] = groups;
  const missing = 8 - front.length - (back?.length ?? 0);
  if (halves.length > 2 || (back === undefined ? missing !== 0 : missing < 1)) return null;
  const all = [...front, ...Array.from({ length: back === undefined ? 0 : missing }, () => "0"), ...(back ?? [])];
  if (!all.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return null;
  return all.reduce((bits, group) => (bits << 16n) | BigInt(`0x${group}`), 0n);
}

/** A dotted IPv4 at the end of an IPv6 address is two groups of it. */
function groupsOf(part: string): readonly string[] {
  const v4 = bitsOfV4(part);
  return v4 === null ? [part] : [(v4 >> 16n).toString(16), (v4 & 0xffffn).toString(16)];
}
