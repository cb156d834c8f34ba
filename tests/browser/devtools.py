"""A headless Chromium, driven through the DevTools protocol."""

import base64
import json
import pathlib
import subprocess
import time
import urllib.request

import websocket

# Looks through frames too. The trace viewer's frame replaces the methods of its own nodes (it brings
# its own shadow DOM), so all is asked by the methods of the page around it.
_QUERY = """
const native = (prototype, name) => Object.getOwnPropertyDescriptor(prototype, name).get;
const textOf = node => native(Node.prototype, 'textContent').call(node);
const boxOf = element => Element.prototype.getBoundingClientRect.call(element);
function queryAll(selector, root = document, x = 0, y = 0) {
  const found = [...Document.prototype.querySelectorAll.call(root, selector)].map(
      element => ({element, x, y}));
  for (const frame of Document.prototype.querySelectorAll.call(root, 'iframe')) {
    const inner = native(HTMLIFrameElement.prototype, 'contentDocument').call(frame);
    const box = boxOf(frame);
    if (inner) found.push(...queryAll(selector, inner, x + box.x, y + box.y));
  }
  return found;
}
"""


class Browser:
    """Runs until the end of the `with` block; `profile` is a directory for its files."""

    def __init__(self, profile: pathlib.Path, executable="chromium", timeout_s=60):
        self._timeout_s = timeout_s
        self._profile = profile
        self._log = open(profile / "chromium.log", "wb")
        self._process = subprocess.Popen(
            [executable, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
             "--disable-dev-shm-usage",
             "--window-size=1400,900", "--remote-debugging-port=0",
             f"--user-data-dir={profile}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log)
        self._last_id = 0

    def __enter__(self):
        try:
            port_file = self._profile / "DevToolsActivePort"
            self.wait_until(lambda: port_file.exists() and port_file.read_text().count("\n"),
                            "Chromium to open its DevTools")
            port = int(port_file.read_text().split()[0])
            page = self.wait_until(lambda: self._first_page(port), "Chromium to open a page")
            self._socket = websocket.create_connection(
                page["webSocketDebuggerUrl"], suppress_origin=True, timeout=self._timeout_s)
        except BaseException:
            self.__exit__()
            raise
        return self

    @staticmethod
    def _first_page(port):
        # Whatever proxy the environment names is not for this machine.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(f"http://127.0.0.1:{port}/json") as response:
            return next((t for t in json.load(response) if t["type"] == "page"), None)

    def __exit__(self, *_):
        self._process.terminate()
        self._process.wait()
        self._log.close()

    def wait_until(self, condition, what):
        """Returns the first true value of `condition`."""
        deadline = time.monotonic() + self._timeout_s
        while not (value := condition()):
            assert time.monotonic() < deadline, f"waited {self._timeout_s} s for {what}"
            assert self._process.poll() is None, "Chromium has ended"
            time.sleep(0.1)
        return value

    def call(self, method, **params):
        self._last_id += 1
        self._socket.send(json.dumps({"id": self._last_id, "method": method, "params": params}))
        while True:
            message = json.loads(self._socket.recv())
            if message.get("id") == self._last_id:
                assert "error" not in message, message["error"]
                return message["result"]

    def open(self, url):
        self.call("Page.navigate", url=url)

    def evaluate(self, expression):
        """Returns the JSON value of an expression, which may use what _QUERY defines."""
        result = self.call("Runtime.evaluate", returnByValue=True,
                           expression=f"(() => {{ {_QUERY}; return {expression}; }})()")
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def centers(self, selector):
        """Returns where in the window the elements are that can be seen."""
        return self.evaluate(
            f"queryAll({json.dumps(selector)}).map(({{element, x, y}}) => {{"
            "  const box = boxOf(element);"
            "  return box.width && [x + box.x + box.width / 2, y + box.y + box.height / 2];"
            "}).filter(Boolean)")

    def texts(self, selector):
        return self.evaluate(
            f"queryAll({json.dumps(selector)}).map(f => textOf(f.element).replace(/\\s+/g, ' ').trim())")

    def click(self, selector):
        x, y = self.wait_until(lambda: self.centers(selector), selector)[0]
        self.click_at(x, y)

    def click_at(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def type_text(self, text):
        for character in text:
            self.call("Input.dispatchKeyEvent", type="keyDown", text=character, key=character)
            self.call("Input.dispatchKeyEvent", type="keyUp", key=character)

    def screenshot(self, path: pathlib.Path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot")["data"]))
