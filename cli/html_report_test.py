"""The HTML report in a real browser: it draws every chart, on a phone and in dark mode, without an error
and without the network, and prints. Skips where Chromium is not installed.

Usage: html_report_test.py PACELINE PARAMETERS [FOLDER for screenshots]
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PACELINE, PARAMETERS = sys.argv[1:3]
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
KEEP = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else None


def paceline(*arguments):
    subprocess.run([PACELINE, *arguments, "--device", PARAMETERS], check=True,
                   stdout=subprocess.DEVNULL)


def browse(page, *arguments, size="1200,2400"):
    with tempfile.TemporaryDirectory() as profile:
        return subprocess.run(
            [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={profile}",
             "--enable-logging=stderr", f"--window-size={size}", *arguments, page.as_uri()],
            capture_output=True, text=True, timeout=240, check=False)


@unittest.skipIf(BROWSER is None, "skipped: chromium is not installed")
class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.single = cls.folder / "single.html"
        cls.sweep = cls.folder / "sweep.html"
        paceline("predict", "--model", "resnet18", "--batch", "4", "--threads", "1", "--html",
                 str(cls.single))
        paceline("compare", "--model", "fcn-r,alexnet", "--batch", "8-64*2", "--threads", "1",
                 "--html", str(cls.sweep))

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder, ignore_errors=True)

    def picture(self, page, name, *arguments, size="1200,2400"):
        file = (KEEP or self.folder) / f"{name}.png"
        result = browse(page, f"--screenshot={file}", *arguments, size=size)
        self.assertNotIn("Uncaught", result.stderr)
        self.assertGreater(file.stat().st_size, 10_000)
        return file

    def test_one_prediction_shows_all_its_parts(self):
        result = browse(self.single, "--dump-dom")
        self.assertIn('data-ready="yes"', result.stdout)
        self.assertNotIn("Uncaught", result.stderr)
        for section in ("steps", "timeline", "roofline", "memory"):
            self.assertRegex(result.stdout, rf'<section id="{section}">', section)
        self.assertIn("90 % interval", result.stdout)
        # Chart.js gives every canvas it draws a size.
        self.assertEqual(len(re.findall(r"<canvas[^>]*width=\"[1-9]", result.stdout)), 5)

    def test_a_sweep_shows_its_curves(self):
        result = browse(self.sweep, "--dump-dom")
        self.assertIn('data-ready="yes"', result.stdout)
        self.assertRegex(result.stdout, r'<section id="scaling">')
        self.assertEqual(len(re.findall(r"<canvas[^>]*width=\"[1-9]", result.stdout)), 1)

    def test_it_is_drawn_on_a_screen_a_phone_and_in_the_dark(self):
        self.picture(self.single, "screen")
        self.picture(self.sweep, "sweep", size="1200,1400")
        phone = self.picture(self.single, "phone", size="500,3200")
        dark = self.picture(self.single, "dark", "--force-dark-mode")
        self.assertNotEqual(phone.read_bytes(), dark.read_bytes())

    def test_it_prints(self):
        file = (KEEP or self.folder) / "print.pdf"
        browse(self.single, f"--print-to-pdf={file}", "--no-pdf-header-footer")
        self.assertTrue(file.read_bytes().startswith(b"%PDF"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
