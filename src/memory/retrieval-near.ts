/**
 * Terms of the corpus that are another form of the one that was asked: those that contain it (`client` in `dockerclient`), and
 * those that begin as it does (`initializ`, `initialis`, `initial`). Stemming is kept light; this makes up for it.
 */
export function nearTerms(term: string, vocabulary: Iterable<string>): readonly string[] {
  if (term.length < lengthMin || !/^\p{L}+$/u.test(term)) return [];
  const near: string[] = [];
  for (const other of vocabulary) {
    if (other !== term && isNear(term, other)) near.push(other);
    if (near.length === nearMax) break;
  }
  return near;
}

const lengthMin = 4;
const nearMax = 64;

function isNear(term: string, other: string): boolean {
  if (other.length > term.length && (term.length > lengthMin ? other.includes(term) : other.startsWith(term)))
    return true;
  if (term.length < prefixMin || other.length < prefixMin) return false;
  const longer = Math.max(term.length, Math.min(other.length, term.length + 3));
  const shared = Math.max(prefixMin, Math.ceil(longer * sharedMin));
  return other.startsWith(term.slice(0, shared)) && term.length >= shared;
}

const prefixMin = 5;
const sharedMin = 0.75;
