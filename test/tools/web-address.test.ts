import { expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import { addressFault, urlFault } from "../../src/tools/web-address.ts";

test.each([
  ..."http://127.0.0.1/ http://127.1/ http://2130706433/ http://0x7f000001/ http://0177.0.0.1/ http://0x7f.1/ http://127.0.0.1./".split(
    " ",
  ),
  ..."http://0.0.0.0/ http://0/ http://10.1.2.3/ http://172.16.0.1/ http://172.31.255.255/ http://192.168.1.1/".split(
    " ",
  ),
  ..."http://169.254.169.254/latest/meta-data http://100.64.0.1/ http://100.100.100.200/ http://168.63.129.16/".split(
    " ",
  ),
  ..."http://192.0.0.192/ http://192.0.2.1/ http://198.18.0.1/ http://203.0.113.9/ http://224.0.0.1/ http://255.255.255.255/".split(
    " ",
  ),
  ..."http://[::]/ http://[::1]/ http://[::ffff:127.0.0.1]/ http://[::ffff:8.8.8.8]/ http://[::127.0.0.1]/ http://[fe80::1]/".split(
    " ",
  ),
  ..."http://[fc00::1]/ http://[fd00:ec2::254]/ http://[ff02::1]/ http://[64:ff9b::7f00:1]/ http://[64:ff9b:1::1]/".split(
    " ",
  ),
  ..."http://[2002:7f00:1::]/ http://[2001::1]/ http://[2001:db8::1]/ http://[3fff::1]/ http://[100::1]/ http://[fec0::1]/".split(
    " ",
  ),
  ..."http://localhost/ http://LOCALHOST./ http://a.localhost/ http://printer.local/ http://db.internal/ http://x.home.arpa/".split(
    " ",
  ),
  ..."http://metadata.google.internal/ http://router.lan/ http://１２７.０.０.１/ http://127。0。0。1/".split(" "),
  ..."ftp://example.org/ file:///etc/passwd data:text/html,x javascript:1 http://u:p@example.org/ https://u@example.org/".split(
    " ",
  ),
  ..."example.org /etc/passwd http:// http://[fe80::1%25eth0]/".split(" "),
])("C-125 · %s is refused before anything is asked for", (url) => {
  expect(urlFault(url, [])).not.toBeNull();
});

test.each([
  "https://example.org/",
  "http://8.8.8.8/",
  "http://example.org:8080/a?b#c",
  "http://[2606:4700::1111]/",
  "http://172.32.0.1/",
  "http://100.128.0.1/",
  "https://local.example.org/",
  "https://internal-tools.dev/",
])("%s is public", (url) => {
  expect(urlFault(url, [])).toBeNull();
});

test("a private host is let through by name and port, and no other with it", () => {
  expect(urlFault("http://127.0.0.1:8080/x", ["127.0.0.1:8080"])).toBeNull();
  expect(urlFault("http://127.0.0.1:8081/x", ["127.0.0.1:8080"])).not.toBeNull();
  expect(urlFault("http://127.0.0.1/x", ["127.0.0.1:80"])).toBeNull();
  expect(urlFault("http://u:p@127.0.0.1/x", ["127.0.0.1:80"])).not.toBeNull();
});

test("law 10 · an address longer than any is refused", () => {
  expect(urlFault(`https://example.org/${"a".repeat(bounds.webUrlCharsMax)}`, [])).toContain("longer");
});

test.each(["", "1.2.3", "1.2.3.256", ":::", "1::2::3", "2606:4700:1", "2606::1%eth0", "x"])(
  "%j is no address",
  (text) => {
    expect(addressFault(text)).not.toBeNull();
  },
);
