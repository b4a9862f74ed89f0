"""What MkDocs does besides for the site: links that leave docs/ become the names of those files, for they are on no page."""
import re


def on_page_markdown(markdown, **_):
    return re.sub(r"\[([^\]]+)\]\(\.\./[^)]+\)", r"\1", markdown)
