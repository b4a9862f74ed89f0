#!/usr/bin/env python3
"""Checks that all links of the documentation lead to existing files, headings and pictures, and that every page can be reached
from docs/index.md.

check_links.py [ROOT]
"""
import re
import sys
from pathlib import Path
from urllib.parse import unquote

PAGES = ("*.md", "docs/*.md", "python/*.md", "third_party/*.md", "tests/**/*.md")
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)|(?:src|href)=\"([^\"]+)\"")
NAMED = re.compile(r"(?<![\w./-])docs/[\w-]+\.md")


def without_code(text):
    """Removes blocks and spans of code, in which links do not count."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`", "", text)


def anchors(text):
    """Returns the anchors of all headings, as GitHub and MkDocs make them; repeated headings are numbered."""
    found, counts = set(), {}
    for title in re.findall(r"^#+ +(.+?) *#*$", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL), re.MULTILINE):
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).replace("`", "")
        slug = re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")
        number = counts.get(slug, 0)
        counts[slug] = number + 1
        found |= {slug} if number == 0 else {f"{slug}-{number}", f"{slug}_{number}"}
    return found


def broken_links(root):
    pages = sorted({path for pattern in PAGES for path in root.glob(pattern)})
    texts = {path.resolve(): path.read_text(encoding="utf-8") for path in pages}
    for path, text in texts.items():
        name = path.relative_to(root)
        for link in (a or b for a, b in LINK.findall(without_code(text))):
            if re.match(r"[a-z]+:", link):
                continue
            address, _, anchor = unquote(link).partition("#")
            target = (path.parent / address).resolve() if address else path
            if not target.exists():
                yield f"{name}: {link}: there is no such file"
            elif not target.is_relative_to(root):
                yield f"{name}: {link}: leads out of the project"
            elif anchor and target in texts and anchor not in anchors(texts[target]):
                yield f"{name}: {link}: there is no such heading"
        for named in NAMED.findall(text):
            if not (root / named).exists():
                yield f"{name}: speaks of {named}, which is not there"
    yield from unlisted(root, texts)


def unlisted(root, texts):
    index, config = root / "docs" / "index.md", root / "mkdocs.yml"
    listed = set(LINK.findall(texts.get(index.resolve(), "")))
    for page in sorted((root / "docs").glob("*.md")):
        if page != index and (page.name, "") not in listed:
            yield f"docs/index.md: has no link to {page.name}"
        if f": {page.name}\n" not in config.read_text(encoding="utf-8"):
            yield f"mkdocs.yml: nav lacks {page.name}"


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[2]).resolve()
    broken = list(broken_links(root))
    print("\n".join(broken) or "every link leads somewhere")
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
