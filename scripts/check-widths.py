#!/usr/bin/env python3
"""Checks in a browser that no page of a built site is wider than a phone, or than a window.

    scripts/check-widths.py FOLDER [WIDTH ...]
    scripts/check-widths.py --self-test

Opens every page (*.html) of the folder but what lies in _static, in frames of 400 and of 1280 pixels unless widths are given.
Boxes that scroll by themselves, such as code, may be wider. Without chromium it says so and looks at nothing, or fails where
HALFSEEN_CI is set. Exits with 1 where a page is wider than its frame, or where a page did not load.
"""
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from html import unescape
from pathlib import Path

BROWSERS = ["chromium", "chromium-browser", "google-chrome"]
#: Opens pages one after another in a frame, and writes down those that are wider than it, with what sticks out.
FRAME = """<!doctype html><title>widths</title><pre id="found"></pre><script>
const pages = PAGES, widths = WIDTHS, found = [];
function outside(page, width) {
  const names = [];
  for (const of of page.body.querySelectorAll("*")) {
    const box = of.getBoundingClientRect();
    if (box.right > width + 1 && box.width && names.length < 3) names.push(of.tagName.toLowerCase() + "." + of.className);
  }
  return names.join(", ");
}
async function run() {
  for (const width of widths) {
    const frame = document.createElement("iframe");
    frame.width = width; frame.height = 900;
    document.body.append(frame);
    for (const page of pages) {
      await new Promise(next => { frame.onload = next; frame.src = "/" + page; });
      const root = frame.contentDocument.documentElement;
      if (!frame.contentDocument.body.children.length) found.push([page, width, 0, "nothing"]);
      else if (root.scrollWidth > width) found.push([page, width, root.scrollWidth, outside(frame.contentDocument, width)]);
    }
    frame.remove();
  }
  document.getElementById("found").textContent = JSON.stringify({done: pages.length * widths.length, found});
  document.title = "done";
}
run();
</script>"""


def measured(browser, home, widths):
    """The number of pages looked at, and those that are too wide: page, width of the frame, width of the page, what sticks out."""
    files = [path.relative_to(home) for path in sorted(home.rglob("*.html"))]
    pages = [path.as_posix() for path in files if "_static" not in path.parts]
    frame = FRAME.replace("PAGES", json.dumps(pages)).replace("WIDTHS", json.dumps(widths))

    class Site(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *arguments):
            super().__init__(*arguments, directory=home)

        def do_GET(self):
            if self.path != "/frame-of-widths":
                return super().do_GET()
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(frame.encode())

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site) as server, tempfile.TemporaryDirectory() as profile:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
        flags += ["--hide-scrollbars", f"--user-data-dir={profile}", "--timeout=600000", "--virtual-time-budget=100000000"]
        address = f"http://127.0.0.1:{server.server_address[1]}/frame-of-widths"
        run = subprocess.run([browser, *flags, "--dump-dom", address], capture_output=True, text=True, timeout=900)
        server.shutdown()
    written = re.search(r'<pre id="found">(.+?)</pre>', run.stdout)
    if not written:
        sys.exit(f"{browser} did not look at all pages of {home}: {run.stderr[-2000:]}")
    answer = json.loads(unescape(written[1]))
    return answer["done"], answer["found"]


def self_test(browser):
    """Builds a small site, and asserts which of its pages are found to be too wide."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        (home / "narrow.html").write_text("<p>word <pre style='overflow: auto'>" + "x" * 400 + "</pre>")
        (home / "wide.html").write_text("<div class='long' style='width: 700px'>x</div>")
        (home / "empty.html").write_text("")
        done, found = measured(browser, home, [400, 1280])
        assert done == 6, done
        assert [row[:3] for row in found if row[0] == "wide.html"] == [["wide.html", 400, 708]], found
        assert [row[:2] for row in found if row[0] == "empty.html"] == [["empty.html", 400], ["empty.html", 1280]], found
        assert not [row for row in found if row[0] == "narrow.html"] and "div.long" in str(found), found


browser = next(filter(None, map(shutil.which, BROWSERS)), None)
if not sys.argv[1:]:
    sys.exit(__doc__)
elif not browser:
    print("skipped: there is no chromium to look at the widths of pages")
    sys.exit("HALFSEEN_CI" in os.environ)
elif sys.argv[1:] == ["--self-test"]:
    self_test(browser)
else:
    done, wide = measured(browser, Path(sys.argv[1]).resolve(), [int(width) for width in sys.argv[2:]] or [400, 1280])
    for page, width, is_wide, outside in wide:
        print(f"{page}: {is_wide} pixels wide in a frame of {width}: {outside}")
    print(f"{done} views of pages, {len(wide)} too wide")
    sys.exit(bool(wide))
