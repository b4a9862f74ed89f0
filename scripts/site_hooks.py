"""Hooks of MkDocs: replaces links to files outside of docs/ with their names, because the site does not contain them."""
import re


def on_page_markdown(markdown, **_):
    return re.sub(r"\[([^\]]+)\]\(\.\./[^)]+\)", r"\1", markdown)
