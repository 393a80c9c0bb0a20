"""Tests of the arguments and the files; they need neither root nor a framework."""

import contextlib
import io
import os
import unittest

import cases
import links_file
import plan
import record_cluster
import recording
from temporary import Folder

FACTS = {"tool": "t", "date": "d", "host": {"cpu": "a"}, "environment": {}, "libraries": {"torch": "1"}, "argv": []}
CASE = cases.of("pytorch", "bsp", ["fcn-r"], 2, "1 Gb/s")[0]
SWEEP = cases.Sweep(2, cases.link("1 Gb/s"), cases.mebi(1, 2))


def round_of(*samples, accepted=True):
    return {"start": "2026-01-01T00:00:00+00:00", "foreign_cpu": 0.0, "page_faults_per_iteration": 0.0,
            "accepted": accepted, "samples_s": list(samples)}


class Arguments(Folder):
    def message(self, *argv):
        with self.assertRaises(plan.UsageError) as caught:
            record_cluster.parse(argv)
        self.assertNotIn("\n", str(caught.exception))
        return str(caught.exception)

    def test_wrong_names_get_the_nearest_valid_one(self):
        self.assertIn("'validation'", self.message("--plan", "validate", "--list"))
        self.assertIn("'tensorflow'", self.message("--framework", "tensorflov", "--list"))
        self.assertIn("alexnet", self.message("--plan", "validation", "--only", "alexnt", "--list"))

    def test_impossible_values_are_refused_in_one_line(self):
        self.assertIn("--rounds", self.message("--rounds", "0", "--list"))
        self.assertIn("--out", self.message())
        self.assertIn("no such folder", self.message("--out", os.path.join(self.folder, "missing")))

    def test_list_states_the_duration_and_needs_neither_root_nor_frameworks(self):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            self.assertEqual(record_cluster.main(["--plan", "quick", "--list", "--rounds", "2"]), 0)
        self.assertIn("min for 2 rounds", out.getvalue())
        self.assertEqual(len(out.getvalue().splitlines()), len(cases.quick()) + 1)

    def test_where_folders_lie_on_this_machine_stays_out_of_the_file(self):
        said = record_cluster.without_paths(["--out", "/a/b/", "--environments=/s/d", "--only", "1 Gb/s"])
        self.assertEqual(said, ["--out", "b", "--environments=d", "--only", "1 Gb/s"])


class Files(Folder):
    def files(self, append=False, facts=FACTS):
        names = [os.path.join(self.folder, name) for name in ("2026-01-01-cluster.json", "2026-01-01-links.json")]
        return record_cluster.Files(names, append, facts, record_cluster.protocol(1))

    def test_only_accepted_rounds_count_so_that_a_continued_recording_repeats_the_others(self):
        files = self.files()
        for accepted in True, False:
            files.add(CASE, {"parameters": 10, "round": round_of(1.0, accepted=accepted)})
        again = self.files(append=True)
        self.assertEqual(again.accepted_rounds(CASE), 1)
        self.assertEqual(len(again.training["runs"][0]["rounds"]), 2)

    def test_a_sweep_has_as_many_rounds_as_its_least_measured_size(self):
        files = self.files()
        entry = {"warmup": 1, "result_checked": True, "busy_s": 0.1, "round": round_of(0.5)}
        files.add(SWEEP, [{**entry, "bytes": size} for size in SWEEP.sizes])
        files.add(SWEEP, [{**entry, "bytes": SWEEP.sizes[0]}])
        self.assertEqual(self.files(append=True).accepted_rounds(SWEEP), 1)

    def test_a_wrong_sum_is_skipped_and_never_a_measurement(self):
        files = self.files()
        files.add(SWEEP, [{"bytes": SWEEP.sizes[0], "warmup": 1, "result_checked": False, "round": round_of(0.5)}])
        result = links_file.result_of(files.links, SWEEP.benchmark, SWEEP.axes(SWEEP.sizes[0]))
        self.assertEqual((result["status"], result["reason"]), ("skipped", "the sum was wrong"))

    def test_the_value_of_a_link_result_is_the_smallest_accepted_median(self):
        links = links_file.new(FACTS)
        rounds = round_of(1.0, accepted=False), round_of(2.2, 2.0, 2.1), round_of(3.0)
        for busy, round_ in zip((0.1, 0.4, 0.3), rounds):
            links_file.add_round(links, "b", {"bytes": 1}, 1, round_, busy)
        self.assertEqual(links["results"][0]["summary"]["value_s"], 2.1)
        self.assertEqual(links["results"][0]["facts"]["busy_s"], 0.3)

    def test_a_failed_case_is_skipped_with_its_reason_and_keeps_what_was_measured_before(self):
        files = self.files()
        files.skip(CASE, "worker-1: gone")
        self.assertEqual(files.training["runs"][0]["reason"], "worker-1: gone")
        files.add(CASE, {"parameters": 10, "round": round_of(1.0)})
        files.skip(CASE, "worker-1: gone")
        self.assertEqual(files.training["runs"][0]["status"], "measured")

    def test_a_framework_can_be_added_later_but_no_version_may_change(self):
        self.files().write()
        files = self.files(append=True, facts={**FACTS, "libraries": {"mxnet": "1.9.1"}})
        self.assertEqual(files.training["provenance"]["libraries"], {"torch": "1", "mxnet": "1.9.1"})
        with self.assertRaises(recording.RecordingError):
            self.files(append=True, facts={**FACTS, "libraries": {"torch": "2"}})

    def test_append_continues_the_newest_recording_and_needs_one(self):
        with self.assertRaises(recording.RecordingError):
            record_cluster.newest(self.folder)
        self.files().write()
        self.assertTrue(record_cluster.newest(self.folder).endswith("2026-01-01"))


if __name__ == "__main__":
    unittest.main()
