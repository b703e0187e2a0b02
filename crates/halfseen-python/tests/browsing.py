"""Drive Chromium as a person does who has no mouse, and look at its pages as axe-core does."""

import base64
import contextlib
import os
import shutil
import subprocess
import tarfile
import time

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

FLAGS = """--headless=new --disable-gpu --disable-quic --no-first-run --disable-background-networking
--disable-component-update --disable-sync --lang=en-US"""
#: Width and height of a small phone, where WCAG 2.2 (1.4.10) forbids to scroll sideways, and of a desk.
PHONE, DESK = (320, 640), (1280, 900)
#: Elements that reach beyond the window, and the width of the page where that is wider than the window.
TOO_WIDE = """
    const page = document.scrollingElement, found = [];
    if (page.scrollWidth > innerWidth) found.push('page of ' + page.scrollWidth);
    for (const of of document.body.querySelectorAll('*')) {
        const at = of.getBoundingClientRect();
        if (at.width > 1 && at.right > innerWidth + 0.5) found.push(of.outerHTML.slice(0, 80));
    }
    return found;
"""
LOADED = "return document.readyState == 'complete'"
AXE = """
    const done = arguments[arguments.length - 1];
    axe.run(document, {resultTypes: ['violations', 'incomplete']}).then(
        found => done(found.violations.map(
            of => [of.impact, of.id, of.nodes.map(node => node.html + ' ' + node.failureSummary)]
        )),
        error => done([['serious', 'axe', [String(error)]]]));
"""


def lacking(what):
    """Skip a test on a machine that lacks something, and fail it where everything must be there."""
    text = f"{what} is missing: on Debian, apt-get install chromium chromium-driver npm"
    if os.environ.get("HALFSEEN_CI"):
        pytest.fail(text, pytrace=False)
    pytest.skip(text)


def axe_core(folder):
    """Return the text of axe-core, from the registry of npm."""
    npm = shutil.which("npm") or lacking("npm")
    line = [npm, "pack", "--silent", "axe-core@4"]
    done = subprocess.run(line, cwd=folder, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        lacking(f"axe-core ({done.stderr.strip()[-200:]})")
    (packed,) = folder.glob("axe-core-*.tgz")
    with tarfile.open(packed) as files:
        return files.extractfile("package/axe.min.js").read().decode()


def named(element):
    """Return the accessible name, without a space before a colon."""
    return element.accessible_name.replace(" :", ":")


class Browser:
    """A window of Chromium, moved by TAB, ENTER, SPACE and typing alone."""

    def __init__(self, driver):
        self.driver = driver
        #: Number of pages that were looked at.
        self.pages = 0

    def size(self, width, height):
        screen = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)

    def color_scheme(self, which):
        features = [{"name": "prefers-color-scheme", "value": which}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def open(self, url):
        self.driver.get(url)
        self.look()

    def look(self):
        """Hold the page against the window's width."""
        self.pages += 1
        assert self.driver.execute_script(TOO_WIDE) == [], self.driver.current_url

    def keys(self, *keys):
        webdriver.ActionChains(self.driver).send_keys(*keys).perform()

    def reach(self, name):
        """Press TAB until what has this accessible name has the focus, and return it."""
        for _ in range(120):
            self.keys(Keys.TAB)
            found = self.driver.switch_to.active_element
            if named(found) == name:
                return found
        raise AssertionError(f"TAB does not reach {name!r} on:\n{self.text()}")

    def enter(self, name, text):
        """Type into the field of this name."""
        self.reach(name)
        self.keys(text)

    def replace(self, name, text):
        """Type over what is in the field of this name, which has the focus."""
        assert named(self.driver.switch_to.active_element) == name
        chain = webdriver.ActionChains(self.driver)
        chain.key_down(Keys.CONTROL).send_keys("a").key_up(Keys.CONTROL).send_keys(text).perform()

    def space(self, name):
        """Press SPACE on what has this name, such as a box, and stay on the page."""
        self.reach(name)
        self.keys(Keys.SPACE)

    def press(self, name):
        """Press ENTER on a link or a button of this name, and wait for the page that follows."""
        self.reach(name)
        self.follow(Keys.ENTER)

    def follow(self, *keys):
        """Press keys that lead to another page, and wait for it."""
        before = self.driver.find_element(By.TAG_NAME, "html")
        self.keys(*keys)
        until = time.monotonic() + 20
        while time.monotonic() < until:
            if self.all("html") not in ([], [before]) and self.driver.execute_script(LOADED):
                self.look()
                return
            time.sleep(0.02)
        raise AssertionError(f"no other page came after {self.text()}")

    def text(self, css="body"):
        return self.driver.find_element(By.CSS_SELECTOR, css).text

    def all(self, css):
        return self.driver.find_elements(By.CSS_SELECTOR, css)

    def field(self, name):
        """Return the input of this accessible name."""
        for found in self.all("input:not([type=hidden]), select"):
            if named(found) == name:
                return found
        raise AssertionError(f"no field {name!r} on:\n{self.text()}")

    def described(self, name):
        """Return the texts that describe a field, as a screen reader reads them."""
        ids = self.field(name).get_attribute("aria-describedby").split()
        return [self.driver.find_element(By.ID, one).text for one in ids]

    def violations(self, axe):
        """Return what axe-core finds wrong with the page."""
        self.driver.execute_script(axe)
        return self.driver.execute_async_script(AXE)

    def picture(self, path):
        """Store a picture of the whole page."""
        size = self.driver.execute_script(
            "return [innerWidth, Math.max(innerHeight, document.scrollingElement.scrollHeight)]"
        )
        clip = {"x": 0, "y": 0, "width": size[0], "height": size[1], "scale": 1}
        taken = self.driver.execute_cdp_cmd(
            "Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip}
        )
        path.write_bytes(base64.b64decode(taken["data"]))


@contextlib.contextmanager
def browser(folder, scripts):
    """Start a browser with a new profile; without scripts, pages run none."""
    chromium = shutil.which("chromium") or lacking("chromium")
    chromedriver = shutil.which("chromedriver") or lacking("chromedriver")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in [*FLAGS.split(), f"--user-data-dir={folder / 'profile'}"]:
        options.add_argument(flag)
    if os.geteuid() == 0:
        options.add_argument("--no-sandbox")
    if not scripts:
        none = {"profile.managed_default_content_settings.javascript": 2}
        options.add_experimental_option("prefs", none)
    driver = webdriver.Chrome(options=options, service=Service(chromedriver))
    try:
        driver.set_page_load_timeout(30)
        driver.set_script_timeout(60)
        driver.get("data:text/html,<title>none</title><script>document.title = 'some'</script>")
        assert driver.title == ("some" if scripts else "none")
        yield Browser(driver)
    finally:
        driver.quit()
