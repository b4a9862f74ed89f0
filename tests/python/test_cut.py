"""Shortening of answers that are too long."""
import json
import unittest

from module import main

from snapviewer._cut import MIN_BYTES, MARKS, ROOM_TO_SAY_SO, Own, cut, marked, shortened

INSTEAD = "Ask for less."
CHARACTERS = 8192


def written(value):
    return len(json.dumps(value, indent=2, ensure_ascii=False).encode())


def unmarked(value):
    return json.loads(json.dumps(value, ensure_ascii=False).replace(MARKS[0], "").replace(MARKS[1], ""))


class Cut(unittest.TestCase):
    def test_what_fits_is_only_marked(self):
        answer = {"a": [1, 2.5, None, True, "text"], "b": {"c": []}, "kind": "own", "tables": {Own("own"): [Own("id")], "kind": ["of the file"]}}
        wanted = {"a": [1, 2.5, None, True, marked("text", 9)], "b": {"c": []}, "kind": "own",
                  "tables": {"own": ["id"], marked("kind", 9): [marked("of the file", 99)]}}
        self.assertEqual(cut(answer, MIN_BYTES, CHARACTERS, INSTEAD), (wanted, ""))
        self.assertEqual(cut({"a": [float("inf"), -float("inf"), float("nan")]}, MIN_BYTES, CHARACTERS, INSTEAD)[0], {"a": ["Infinity", "-Infinity", "NaN"]})

    def test_it_is_never_longer_and_says_what_is_left(self):
        answers = {"a list": {"rows": list(range(100_000)), "name": "kept"},
                   "lists in lists": {"devices": [{"steps": [{"bytes": n, "ends": list(range(50))} for n in range(300)]} for _ in range(20)]},
                   "a text": {"text": "x" * 1_000_000, "name": "kept"},
                   "a text of many bytes a character": {"text": "\u20ac\u0001" * 100_000},
                   "many names": {f"table {number}": ["column"] * 10 for number in range(10_000)},
                   "long names": {f"{'n' * 5000}{number}": number for number in range(10)},
                   "names of a file": {"tables": {"\u202e" * 100 + str(number): ["\u202e" * 100] * 5000 for number in range(30)}},
                   "odd names": {"\u0001" * 2000 + str(number): list(range(5000)) for number in range(30)},
                   "many lists": {f"list {number}": list(range(200)) for number in range(30)},
                   "a list alone": [{"sentence": "y" * 400} for _ in range(1000)]}
        for name, answer in answers.items():
            for most in (MIN_BYTES, 10_000, 65_536):
                with self.subTest(name, most=most):
                    kept, said = cut(answer, most, CHARACTERS, INSTEAD)
                    self.assertLessEqual(written(kept) + len(said.encode()), most)
                    self.assertLessEqual(len(said.encode()), ROOM_TO_SAY_SO)
                    self.assertRegex(said, rf"^Cut to {most} bytes.*Ask for less\.$" if said else "^$")
                    self.assertEqual(said == "", unmarked(kept) == answer)
        kept, said = cut(answers["a list"], 10_000, CHARACTERS, INSTEAD)
        self.assertEqual(kept, {"rows": list(range(256)), "name": marked("kept", 9)})
        self.assertEqual(said, "Cut to 10000 bytes; what is left: rows (256 of 100000 entries). Ask for less.")

    def test_what_is_too_deep_is_told(self):
        answer = []
        for _ in range(100_000):
            answer = [answer]
        kept, said = cut({"deep": answer}, MIN_BYTES, CHARACTERS, INSTEAD)
        self.assertEqual(kept, {})
        self.assertIn("nothing was short enough", said)

    def test_shortened(self):
        self.assertEqual(shortened("abc", 3), "abc")
        self.assertEqual(shortened("abcd", 3), "abc... (1 more characters)")
        self.assertEqual(marked("abcd", 3), f"{MARKS[0]}abc{MARKS[1]}... (1 more characters)")


if __name__ == "__main__":
    main()
