#!/usr/bin/env python3
"""example_of_header.py HEADER OUT: writes the example in the public header's first comment as a C function, `test_example`."""
import re
import sys
from pathlib import Path

header, out = map(Path, sys.argv[1:])
comment = header.read_text().split("*/")[0]
lines = re.findall(r"^ \*     (.*)$", comment, re.MULTILINE)
if not any("sv_query" in line for line in lines):
    sys.exit(f"{header}: no example that asks something")
body = "\n".join("    " + line for line in lines)
out.write_text(f"""#include "tests/capi/example.h"

void test_example(void) {{
{body}
}}
""")
