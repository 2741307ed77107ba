"""A real JupyterHub on loopback, with six of the machine's users: `make test-hub` (root, Linux).

Six start, none reads what is another's, and the memory limit holds; what is printed says how large
a server must be.
"""

import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
GROUP, PEOPLE = "d2l-class", [f"d2l-student-{i}" for i in range(1, 7)]
CHAPTER = "01_bare_bones_attention.ipynb"


def is_open(path):
    """Whether a user of no rights can execute it."""
    command = ["runuser", "-u", "nobody", "--", "test", "-x", str(path)]
    return subprocess.run(command).returncode == 0


MISSING = [
    why
    for why, is_so in {
        "it needs Linux": lambda: sys.platform != "linux",
        "it makes users of the system, so it needs root": lambda: os.geteuid() != 0,
        "it needs useradd, chpasswd, prlimit and runuser": lambda: (
            not all(map(shutil.which, ("useradd", "chpasswd", "prlimit", "runuser")))
        ),
        "students cannot open this folder": lambda: not is_open(ROOT / "deploy" / "student.sh"),
        "students cannot run this Python: make test-hub PYTHON=/usr/bin/python3": lambda: (
            not is_open(sys.executable)
        ),
    }.items()
    if is_so()
][:1]
if MISSING:  # who asks for these tests wants to know that they did not run
    pytest.exit(f"tests/hub cannot run: {MISSING[0]}", returncode=1)

import psutil  # noqa: E402
import requests  # noqa: E402
import websocket  # noqa: E402

PATIENCE = 600  # seconds; for what never comes: a busy machine may take long over what does


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Hub:
    """A hub with the configuration of deploy/, on free ports, its state in `folder`."""

    def __init__(self, folder):
        names = [f"D2LATTN_HUB_{name}" for name in ("URL", "PROXY_API", "HUB_API")]
        urls = [f"http://127.0.0.1:{free_port()}" for _ in names]
        self.url, self.folder = urls[0], folder
        environment = dict(
            os.environ, D2LATTN_HUB_GROUP=GROUP, **dict(zip(names, urls, strict=True))
        )
        environment["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        environment.pop("OMP_NUM_THREADS", None)
        self.log = open(folder / "hub.log", "w", encoding="utf-8")  # noqa: SIM115
        self.process = subprocess.Popen(
            [sys.executable, "-m", "jupyterhub", "-f", DEPLOY / "jupyterhub_config.py"],
            cwd=folder,
            env=environment,
            stdout=self.log,
            stderr=subprocess.STDOUT,
        )
        wait(lambda: self.process.poll() is not None or self.answers(), "the hub to answer")
        assert self.process.poll() is None, (folder / "hub.log").read_text(encoding="utf-8")

    def answers(self):
        try:
            return requests.get(f"{self.url}/hub/api/", timeout=10).ok
        except requests.RequestException:
            return False

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.log.close()


class Student:
    """Somebody at a browser: logs in, starts the server, runs cells."""

    def __init__(self, hub, name, password):
        self.hub, self.name, self.password = hub, name, password
        self.server = f"{hub.url}/user/{name}/"
        self.web = requests.Session()

    def login(self):
        form = f"{self.hub.url}/hub/login"
        self.web.get(form, timeout=PATIENCE).raise_for_status()
        body = dict(username=self.name, password=self.password, _xsrf=self.web.cookies["_xsrf"])
        answer = self.web.post(form, data=body, allow_redirects=False, timeout=PATIENCE)
        assert answer.status_code == 302, f"{self.name} cannot log in: {answer.status_code}"
        token = self.web.post(
            f"{self.hub.url}/hub/api/users/{self.name}/tokens",
            headers={"X-XSRFToken": self.web.cookies.get("_xsrf", path="/hub/")},
            timeout=PATIENCE,
        )
        token.raise_for_status()
        self.headers = {"Authorization": f"token {token.json()['token']}"}
        return self

    def ask(self, method, url, **options):
        return requests.request(method, url, headers=self.headers, timeout=PATIENCE, **options)

    def start(self):
        api = f"{self.hub.url}/hub/api/users/{self.name}"
        assert self.ask("POST", f"{api}/server").status_code in (201, 202)
        wait(lambda: not self.server_is("pending"), "spawn")
        assert self.server_is("ready"), f"{self.name}'s server did not come up: see hub.log"
        return self

    def server_is(self, state):
        servers = self.ask("GET", f"{self.hub.url}/hub/api/users/{self.name}").json()["servers"]
        return servers.get("", {}).get(state)

    def kernel(self):
        return Kernel(self)

    def get(self, path):
        answer = self.ask("GET", f"{self.server}api/contents/d2lattn/{path}?content=1")
        answer.raise_for_status()
        return answer.json()["content"]

    def processes(self):
        every = psutil.process_iter(["username", "cmdline"])
        return [process for process in every if process.info["username"] == self.name]

    def kernels(self):
        """The numbers of the processes that are kernels."""
        commands = {p.pid: " ".join(p.info["cmdline"] or []) for p in self.processes()}
        return {number for number, command in commands.items() if "ipykernel" in command}

    def memory(self, numbers=None):
        """MiB of all processes of this user, or of those with these numbers; what several share is
        counted in parts (PSS)."""
        total = 0
        for process in self.processes():
            if numbers is not None and process.pid not in numbers:
                continue
            try:
                total += process.memory_full_info().pss
            except (psutil.NoSuchProcess, ProcessLookupError):
                continue
        return total / 2**20


class Kernel:
    """A running kernel of a student, spoken to as a browser does."""

    def __init__(self, student):
        self.student = student
        body = dict(name="python3", path="d2lattn")
        answer = student.ask("POST", f"{student.server}api/kernels", json=body)
        answer.raise_for_status()
        self.id = answer.json()["id"]
        url = f"{student.server}api/kernels/{self.id}/channels".replace("http", "ws", 1)
        self.channel = websocket.create_connection(url, header=student.headers, timeout=PATIENCE)

    def send(self, code):
        name = secrets.token_hex(8)
        header = dict(msg_id=name, msg_type="execute_request", version="5.3", session="s")
        content = dict(code=code, silent=False, store_history=True, allow_stdin=False)
        message = dict(header=header | dict(username="", date=""), content=content, channel="shell")
        self.channel.send(json.dumps(message | dict(parent_header={}, metadata={}, buffers=[])))
        return name

    def run(self, code):
        """What the code prints; of an error its name and text."""
        name, said = self.send(code), ""
        while True:
            message = self.channel.recv()
            if isinstance(message, bytes):  # a control's picture
                continue
            message = json.loads(message)
            if message.get("parent_header", {}).get("msg_id") != name:
                continue
            kind, content = message["msg_type"], message["content"]
            if kind == "stream":
                said += content["text"]
            if kind == "error":
                said += f"{content['ename']}: {content['evalue']}"
            if kind == "status" and content["execution_state"] == "idle":
                return said

    def stop(self):
        self.channel.close()
        self.student.ask("DELETE", f"{self.student.server}api/kernels/{self.id}")


def wait(happened, what):
    """Until it has happened: ask for what stays. A state that passes may come and go unseen."""
    end = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < end, f"waited {PATIENCE} s for {what}"
        time.sleep(0.2)


def remove(name):
    """End what a user of these tests runs, and remove the user with all files."""
    groups = subprocess.run(["id", "-nG", name], capture_output=True, text=True).stdout
    if GROUP not in groups.split():  # nobody of that name, or somebody else's user
        return
    subprocess.run(["pkill", "-KILL", "-u", name], check=False)
    wait(lambda: subprocess.run(["pgrep", "-u", name]).returncode, "its end")
    subprocess.run(["userdel", "-r", name], check=True, stderr=subprocess.DEVNULL)


@pytest.fixture(scope="session")
def passwords():
    """Six users of the system in a group of their own; nothing of them stays."""
    subprocess.run(["groupadd", "-f", GROUP], check=True)
    passwords = {name: secrets.token_urlsafe(12) for name in PEOPLE}
    for name, password in passwords.items():
        remove(name)  # left by tests that were killed
        subprocess.run(["useradd", "-m", "-s", "/bin/sh", "-G", GROUP, name], check=True)
        subprocess.run(["chpasswd"], input=f"{name}:{password}", text=True, check=True)
    yield passwords
    for name in PEOPLE:
        remove(name)
    subprocess.run(["groupdel", GROUP], check=True)


@pytest.fixture(scope="session")
def model_is_kept():
    """The real model is read once, before anybody comes, as `make hub` does."""
    os.environ["D2LATTN_CACHE"] = str(ROOT / ".venv-hub" / "cache")
    once = "import sys; from d2lattn_book import real; sys.exit(real.load()[0] is None)"
    subprocess.run([sys.executable, "-c", once], cwd="/", check=True)


@pytest.fixture(scope="session")
def hub(passwords, model_is_kept):
    folder = Path(tempfile.mkdtemp(prefix="hub-"))  # pytest's own would be closed to students
    folder.chmod(0o755)
    hub = Hub(folder)
    yield hub
    hub.stop()
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def students(hub, passwords):
    """All six, logged in and with a running server, at once."""
    started = time.monotonic()
    students = [Student(hub, *person) for person in passwords.items()]
    with ThreadPoolExecutor(len(students)) as pool:
        list(pool.map(lambda s: s.login().start(), students))
    print(f"\n{len(students)} students are in after {time.monotonic() - started:.0f} s")
    return students


def run_chapter(student):
    """Seconds of a student's whole chapter, and the cells whose printed text is not the stored."""
    notebook = student.get(CHAPTER)
    started, kernel, wrong = time.monotonic(), student.kernel(), []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            said = kernel.run(cell["source"])
            stored = "".join(o["text"] for o in cell["outputs"] if o["output_type"] == "stream")
            if said != stored and "nbval-ignore-output" not in cell["metadata"].get("tags", []):
                wrong.append((cell["source"], said))
    return time.monotonic() - started, wrong, kernel


def test_six_students_run_a_chapter_at_once(students):
    peak, done = {s.name: 0 for s in students}, threading.Event()
    resting = sum(s.memory() for s in students) / len(students)

    def watch():
        while not done.wait(0.5):
            for s in students:
                peak[s.name] = max(peak[s.name], s.memory())

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        with ThreadPoolExecutor(len(students)) as pool:
            results = list(pool.map(run_chapter, students))
    finally:
        done.set()
        watcher.join()
    for student, (_, wrong, kernel) in zip(students, results, strict=True):
        assert not wrong, f"{student.name}: {wrong[0]}"
        kernel.stop()
    seconds = sorted(seconds for seconds, _, _ in results)
    alone, _, kernel = run_chapter(students[0])
    kernel.stop()
    print(
        f"chapter 01, all at once on {os.cpu_count()} cores: {seconds[0]:.0f} to "
        f"{seconds[-1]:.0f} s each; one alone: {alone:.0f} s\n"
        f"memory of a student: {resting:.0f} MiB before a kernel starts, at most "
        f"{max(peak.values()):.0f} MiB while it runs (hub and proxy: {hub_memory():.0f} MiB once)"
    )


PASS = """
import time, torch
started = time.monotonic()
from d2lattn_book import real
model, tokenizer = real.load()
with torch.no_grad():
    model(torch.arange(100)[None])
print(f"{time.monotonic() - started:.1f}")
"""


def test_six_students_share_one_real_model(students):
    """Each kernel maps the one file that is kept: six of them hold less than three files' worth
    above what six kernels with torch take."""
    with ThreadPoolExecutor(len(students)) as pool:
        kernels = list(pool.map(Student.kernel, students))
        list(pool.map(lambda kernel: kernel.run("import torch, d2lattn"), kernels))
        before = sum(s.memory() for s in students)
        said = list(pool.map(lambda kernel: kernel.run(PASS), kernels))
    seconds = sorted(map(float, said))  # an error is no number
    of_kernels = sum(s.memory(s.kernels()) for s in students)
    total = sum(s.memory() for s in students)
    (file,) = Path(os.environ["D2LATTN_CACHE"]).rglob("*.safetensors")
    assert total - before < 3 * file.stat().st_size / 2**20
    for kernel in kernels:
        kernel.stop()
    print(
        f"the real model open in {len(kernels)} kernels: {of_kernels:.0f} MiB together, "
        f"{total:.0f} MiB with all that their users run; imported, loaded and 100 pieces read "
        f"after {seconds[0]:.1f} to {seconds[-1]:.1f} s"
    )


def hub_memory():
    """MiB of what runs once: the hub, its proxy and its culler."""
    total = 0
    for process in psutil.process_iter(["username", "cmdline"]):
        command = " ".join(process.info["cmdline"] or [])
        ours = re.search(r"-m jupyterhub|configurable-http-proxy", command)
        if ours and process.info["username"] == "root":
            total += process.memory_full_info().pss
    return total / 2**20


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        ("bytearray(20 * 2**30)", "MemoryError"),
        ("import torch; torch.zeros(5 * 2**30)", "RuntimeError"),  # 20 GiB
    ],
    ids=["20 GiB", "20 GiB in torch"],
)
def test_the_memory_limit_holds(students, harm, said):
    """And the others go on."""
    kernel = students[0].kernel()
    assert said in kernel.run(harm)
    kernel.stop()
    for student in students[1:]:
        kernel = student.kernel()
        assert kernel.run("print(6 * 7)") == "42\n"
        kernel.stop()


def test_no_student_reads_what_is_anothers(students, hub):
    kernel, other = students[2].kernel(), students[3]
    server = next(p for p in other.processes() if "singleuser" in " ".join(p.cmdline()))
    for path in (
        f"/home/{other.name}/d2lattn/{CHAPTER}",
        f"/proc/{server.pid}/environ",  # holds the server's token
        hub.folder / "jupyterhub_cookie_secret",
        hub.folder / "jupyterhub.sqlite",
        hub.folder / "jupyterhub-proxy.pid",
    ):
        assert Path(path).exists(), path
        assert "PermissionError" in kernel.run(f"open({str(path)!r}, 'rb').read(1)"), path
    assert "Error" in kernel.run(f"open({str(ROOT / 'notebooks' / CHAPTER)!r}, 'a')")
    assert other.ask("GET", f"{other.server}api/contents").ok
    assert students[2].ask("GET", f"{other.server}api/contents").status_code == 403
    kernel.stop()
