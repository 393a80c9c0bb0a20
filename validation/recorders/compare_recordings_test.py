"""Tests of comparing recordings; no torch needed."""

import contextlib
import io
import json
import math
import os
import tempfile
import unittest

import compare_recordings as compare
import recording


def rounds(*medians, rejected=0):
    return ([{"accepted": True, "samples_s": [2 * m, m, m / 2]} for m in medians]
            + [{"accepted": False, "samples_s": [1.0]}] * rejected)


def said(earlier, later):
    return compare.verdict(compare.Times(earlier), compare.Times(later))[0]


class Verdict(unittest.TestCase):
    def test_a_time_that_the_rounds_allow_repeats_whichever_way_it_went(self):
        self.assertEqual(said(rounds(1.0, 1.05, 1.02), rounds(1.1)), compare.REPEATS)
        self.assertEqual(said(rounds(1.1), rounds(1.0, 1.05, 1.02)), compare.REPEATS)
        self.assertEqual(said(rounds(1.0, 1.05, 1.02), rounds(0.96)), compare.REPEATS)

    def test_a_time_that_quiet_rounds_do_not_allow_differs(self):
        self.assertEqual(said(rounds(1.0, 1.01, 1.005), rounds(1.06, 1.07)), compare.DIFFERS)
        self.assertEqual(said(rounds(1.0, 1.01, 1.005), rounds(0.9, 0.91)), compare.DIFFERS)

    def test_not_allowed_with_rejected_or_scattered_rounds_the_machine_was_not_quiet(self):
        self.assertEqual(said(rounds(1.0, 1.01, 1.005), rounds(1.06, rejected=1)), compare.NOT_QUIET)
        self.assertEqual(said(rounds(1.0, 1.01, 1.005), rounds(3.0, 3.5, 3.1)), compare.NOT_QUIET)
        self.assertEqual(said(rounds(1.0, 1.05), rounds(rejected=2)), compare.NOT_QUIET)

    def test_two_single_rounds_cannot_be_judged(self):
        self.assertEqual(said(rounds(1.0), rounds(1.3)), compare.NOT_JUDGED)

    def test_what_is_allowed_is_the_textbook_interval_of_a_further_observation(self):
        # Mean of three and one further: t(2 degrees of freedom) s sqrt(1/3 + 1).
        limit = compare.allowed(compare.Times(rounds(math.exp(-1), 1.0, math.e)), compare.Times(rounds(1.0)))
        self.assertAlmostEqual(limit, 4.303 * math.sqrt(4 / 3))

    def test_as_many_differ_by_chance_as_one_in_twenty(self):
        self.assertFalse(compare.more_than_chance(0, 20))
        self.assertFalse(compare.more_than_chance(2, 40))
        self.assertTrue(compare.more_than_chance(7, 40))
        self.assertTrue(compare.more_than_chance(2, 2))


def document(times, cpu="test", schema="paceline.recording/1"):
    runs = [{"experiment": {"model": model, "network": None}, "rounds": found} for model, found in times.items()]
    return {"schema": schema, "provenance": {"host": {"cpu": cpu}, "environment": {}, "libraries": {}}, "runs": runs}


class Program(unittest.TestCase):
    def run_with(self, *documents):
        with tempfile.TemporaryDirectory() as folder:
            names = []
            for i, content in enumerate(documents):
                names.append(os.path.join(folder, f"{i}.json"))
                with open(names[-1], "w") as file:
                    file.write(content if isinstance(content, str) else json.dumps(content))
            out, err = io.StringIO(), io.StringIO()
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                code = compare.main(names)
            return code, out.getvalue(), err.getvalue()

    def test_runs_of_both_files_are_compared_and_a_difference_fails(self):
        earlier = document({"a": rounds(1.0, 1.05), "b": rounds(1.0), "c": rounds(1.0)})
        code, out, _ = self.run_with(earlier, document({"a": rounds(1.01), "b": rounds(1.0, 1.01)}))
        self.assertEqual(code, 0)
        self.assertIn("2 runs: 2 repeats", out)
        several = document({name: rounds(1.0, 1.01, 1.02) for name in "abc"})
        code, out, _ = self.run_with(several, document({name: rounds(1.4, 1.41) for name in "abc"}))
        self.assertEqual(code, compare.CHECK_FAILED)
        self.assertIn("3 differs", out)

    def test_one_file_is_its_last_round_against_those_before(self):
        self.assertEqual(self.run_with(document({"a": rounds(1.0, 1.05, 1.02), "b": rounds(1.0)}))[0], 0)
        code, out, _ = self.run_with(document({name: rounds(1.0, 1.001, 1.0, 1.14) for name in "ab"}))
        self.assertEqual(code, compare.CHECK_FAILED, out)

    def test_the_shipped_recordings_were_repeated_hours_later(self):
        folder = os.path.join(os.path.dirname(__file__), "../../traces/recorded/epyc-2core")
        for kind in ("cluster", "links"):
            names = [os.path.join(folder, part, f"2026-11-30-{kind}.json") for part in ("", "repeated")]
            with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()):
                code = compare.main(names)
            self.assertEqual(code, 0, out.getvalue())

    def test_another_machine_is_named(self):
        err = self.run_with(document({"a": rounds(1.0, 1.1)}), document({"a": rounds(1.0)}, cpu="other"))[2]
        self.assertIn("host", err)

    def test_what_cannot_be_compared_is_refused(self):
        one = document({"a": rounds(1.0, 1.1)})
        for other in ("{", document({"b": rounds(1.0)}), document({}, schema="paceline.report/1"),
                      document({"a": rounds(1.0)}, schema="paceline.cluster-recording/1")):
            with self.assertRaises(recording.RecordingError):
                self.run_with(one, other)
        self.assertEqual(self.run_with()[0], compare.USAGE)
