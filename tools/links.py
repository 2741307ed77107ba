"""The addresses that the book sends readers to: `python tools/links.py` lists them.

`--ask` opens each and says which do not answer; a scheduled job does that every month, since no
test may need a network. What can be wrong without a network, the form, is tested.
"""

import concurrent.futures
import re
import sys
import urllib.error
import urllib.request

from cells import ROOT

PARTS = ("notebooks/*.ipynb", "*.md", "deploy/*.md", "benchmarks/*.md", "d2lattn*/**/*.py")
ADDRESS = re.compile(r"https?://[^\s\"'<>`\\)\]}]+")
FORMS = {  # of addresses that are made of a number: a slip of the hand is seen
    "arxiv.org": r"https://arxiv\.org/(abs|pdf)/(\d{4}\.\d{4,5}(v\d+)?|[a-z-]+/\d{7})",
    "doi.org": r"https://doi\.org/10\.\d{4,}/\S+",
    "openreview.net": r"https://openreview\.net/(forum|pdf)\?id=[\w-]+",
    "aclanthology.org": r"https://aclanthology\.org/[A-Z]?[\w.-]+/?",
}
HERE = ("http://localhost", "http://127.0.0.1", "http://www.w3.org/2000/svg")  # or a name alone
WAIT, AT_ONCE = 30, 4  # seconds, requests


def addresses():
    """Map each address to the files that name it."""
    found = {}
    for pattern in PARTS:
        for path in sorted(ROOT.glob(pattern)):
            for address in ADDRESS.findall(path.read_text(encoding="utf-8")):
                if not address.startswith(HERE):
                    address = address.rstrip(".,;:*").partition("#")[0]
                    found.setdefault(address, set()).add(path.relative_to(ROOT).as_posix())
    return found


def fault(address):
    """What is wrong with the form of an address, or None."""
    host = address.split("/")[2].removeprefix("www.")
    if not address.startswith("https://"):
        return "no https"
    if host in FORMS and not re.fullmatch(FORMS[host], address):
        return f"not of the form of {host}"
    return None


def silent(address):
    """Why an address does not answer, or None."""
    request = urllib.request.Request(address, headers={"User-Agent": "Mozilla/5.0 (d2lattn links)"})
    try:
        with urllib.request.urlopen(request, timeout=WAIT):
            return None
    except urllib.error.HTTPError as error:
        return None if error.code in (403, 429) else str(error)  # there, but not for programs
    except OSError as error:
        return str(error)


def main(ask):
    found = addresses()
    if not ask:
        print("\n".join(sorted(found)))
        return 0
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        why = dict(zip(found, pool.map(silent, found), strict=True))
    for address in sorted(name for name in why if why[name]):
        print(f"{address}: {why[address]} ({', '.join(sorted(found[address]))})")
    return int(any(why.values()))


if __name__ == "__main__":
    sys.exit(main("--ask" in sys.argv[1:]))
