"""A real JupyterHub on loopback, with six of the machine's users: `make test-hub` (root, Linux).

What is asserted is what a lecturer relies on; what is printed says how large a server must be.
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
from http.cookiejar import DefaultCookiePolicy
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
        "it needs useradd, chpasswd, prlimit, runuser and openssl": lambda: (
            not all(map(shutil.which, ("useradd", "chpasswd", "prlimit", "runuser", "openssl")))
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
from requests.cookies import get_cookie_header  # noqa: E402

PATIENCE = 600  # seconds; for what never comes: a busy machine may take long over what does


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Hub:
    """A hub with the configuration of deploy/, on free ports, its state in `folder`."""

    def __init__(self, folder, *options, **settings):
        urls = [f"http://127.0.0.1:{free_port()}" for _ in range(3)]
        settings = dict(zip(("URL", "PROXY_API", "HUB_API"), urls, strict=True), **settings)
        self.url, self.folder = settings.get("DOMAIN", urls[0]), folder
        environment = {f"D2LATTN_HUB_{name}": str(value) for name, value in settings.items()}
        environment |= dict(os.environ, D2LATTN_HUB_GROUP=GROUP)
        environment["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        environment.pop("OMP_NUM_THREADS", None)
        self.log = open(folder / "hub.log", "w")  # noqa: SIM115
        self.process = subprocess.Popen(
            [sys.executable, "-m", "jupyterhub", "-f", DEPLOY / "jupyterhub_config.py", *options],
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
        # As a browser does: a cookie goes to the host that set it, and not below it.
        policy = DefaultCookiePolicy(strict_ns_domain=DefaultCookiePolicy.DomainStrictNonDomain)
        self.web.cookies.set_policy(policy)

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

    def server_model(self):
        """What the hub says of this student's server; nothing once it is gone altogether."""
        servers = self.ask("GET", f"{self.hub.url}/hub/api/users/{self.name}").json()["servers"]
        return servers.get("", {})

    def server_is(self, state):
        return self.server_model().get(state)

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
    for group in Path("/sys/fs/cgroup").glob(f"**/d2lattn/{name}"):
        group.rmdir()


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


def test_every_student_has_an_own_copy(students):
    first, second = students[:2]
    chapter = first.get(CHAPTER)
    code = [cell for cell in chapter["cells"] if cell["cell_type"] == "code"]
    assert all(cell["metadata"]["trusted"] for cell in code)  # or its live figures stand still
    chapter["cells"][0]["source"] = "# mine"
    url = f"{first.server}api/contents/d2lattn/{CHAPTER}"
    first.ask("PUT", url, json=dict(type="notebook", content=chapter)).raise_for_status()
    assert first.get(CHAPTER)["cells"][0]["source"] == "# mine"
    assert second.get(CHAPTER)["cells"][0]["source"].startswith("# 1 ·")


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        ("bytearray(20 * 2**30)", "MemoryError"),
        ("import torch; torch.zeros(5 * 2**30)", "RuntimeError"),  # 20 GiB
        (
            "import subprocess\nrunning = [subprocess.Popen(['sleep', '60']) for _ in range(1000)]",
            "BlockingIOError",
        ),
    ],
    ids=["20 GiB", "20 GiB in torch", "1000 processes"],
)
def test_a_student_who_takes_too_much_is_stopped(students, harm, said):
    calm = others_answer(students)
    kernel = students[0].kernel()
    assert said in kernel.run(harm)
    assert others_answer(students) < max(20, 5 * calm)  # a busy machine is not calm before, either
    kernel.run("for process in globals().get('running', []): process.kill(); process.wait()")
    kernel.stop()


def test_an_endless_loop_and_a_crash_leave_the_others_alone(students):
    calm = others_answer(students[2:])
    looping, crashing = students[0].kernel(), students[1].kernel()
    looping.send("while True: pass")
    crashing.send("import os, signal; os.kill(os.getppid(), signal.SIGKILL)")  # its own server
    assert others_answer(students[2:]) < max(20, 5 * calm)
    wait(lambda: not students[1].server_model(), "the hub to see and clear the crash")
    students[1].start()
    assert students[1].kernel().run("print(1 + 1)") == "2\n"
    looping.stop()


def others_answer(students):
    """Seconds until a new kernel of every other student has answered."""
    started = time.monotonic()
    for student in students[1:]:
        kernel = student.kernel()
        assert kernel.run("print(6 * 7)") == "42\n"
        kernel.stop()
    return time.monotonic() - started


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
    kernel.stop()


def test_no_student_reaches_anothers_server(students):
    first, second = students[4:6]
    assert first.ask("GET", f"{first.server}api/contents").ok
    assert first.ask("GET", f"{second.server}api/contents").status_code == 403
    assert first.ask("POST", f"{second.server}api/kernels").status_code == 403
    with pytest.raises(websocket.WebSocketBadStatusException, match="403"):
        other = second.kernel()
        url = f"{second.server}api/kernels/{other.id}/channels".replace("http", "ws", 1)
        websocket.create_connection(url, header=first.headers, timeout=PATIENCE)
    # Nor past the proxy, at the port of the server itself: it asks who is there.
    server = next(p for p in second.processes() if "singleuser" in " ".join(p.cmdline()))
    ports = [c.laddr.port for c in server.net_connections("tcp") if c.status == "LISTEN"]
    assert len(ports) == 1
    url = f"http://127.0.0.1:{ports[0]}/user/{second.name}/api/contents"
    kernel = first.kernel()
    said = kernel.run(
        "import requests\n"
        f"print(requests.get({url!r}, headers={first.headers!r}, timeout={PATIENCE}).status_code)\n"
        f"print(requests.get({url!r}, timeout={PATIENCE}).status_code)"
    )
    assert said == "403\n403\n"
    # Nor a kernel: it speaks through files in a folder that only its user may open.
    runtime = Path("/home") / second.name / ".local/share/jupyter/runtime"
    connections = [
        json.loads(file.read_text(encoding="utf-8")) for file in runtime.glob("kernel-*.json")
    ]
    assert connections and {c["transport"] for c in connections} == {"ipc"}
    assert "PermissionError" in kernel.run(f"import os; os.listdir({str(runtime)!r})")
    kernel.stop()


def test_who_is_not_of_the_class_or_has_another_password_stays_outside(hub, passwords):
    wrong = Student(hub, PEOPLE[0], "not the password")
    stranger = Student(hub, "root", "")
    for person in (wrong, stranger):
        with pytest.raises(AssertionError, match="cannot log in"):
            person.login()


def test_an_idle_server_makes_room(students, passwords, tmp_path):
    """In a hub of its own, in which idle means ten seconds."""
    hub = Hub(tmp_path, IDLE_SECONDS=10)
    try:
        student = Student(hub, PEOPLE[0], passwords[PEOPLE[0]]).login()
        api = f"{hub.url}/hub/api/users/{student.name}/server"
        assert student.ask("POST", api).status_code in (201, 202)
        # On a busy machine it may be gone before anybody has seen it up: the log has it all.
        for line in (f"User {student.name} took", f"Culling server {student.name}"):
            wait(lambda line=line: line in (tmp_path / "hub.log").read_text("utf-8"), line)
        wait(lambda: not student.server_model(), "its end")
    finally:
        hub.stop()


def killed(group):
    """How many processes of a control group were ended because it had no memory left."""
    of_version = [group / name for name in ("memory.events", "memory.oom_control")]
    (said,) = (path.read_text(encoding="utf-8") for path in of_version if path.exists())
    return int(re.search(r"^oom_kill (\d+)", said, re.M)[1])


def test_a_limit_for_all_processes_of_a_student_together(students, passwords, tmp_path):
    """Two kernels of 700 MiB each: one fits into 1.2 GiB, of two one is lost and begins anew."""
    sys.path.insert(0, str(ROOT / "deploy"))
    from together import limited

    try:
        tried = limited("d2l-try", 2**30)
        tried.rmdir()
    except OSError as error:
        pytest.skip(f"this system lets nobody make control groups: {error}")
    hub = Hub(tmp_path, TOTAL_GIB=1.2)
    try:
        student = Student(hub, PEOPLE[0], passwords[PEOPLE[0]]).login().start()
        take = (
            "held = bytearray(700 * 2**20); held[::4096] = b'x' * len(held[::4096]); print('taken')"
        )
        first, second, group = student.kernel(), student.kernel(), tried.with_name(student.name)
        assert second.run("print(6 * 7)") == "42\n" and first.run(take) == "taken\n"
        before = student.kernels()
        assert len(before) == 2 and killed(group) == 0
        second.send(take)
        wait(lambda: killed(group), "a process to be stopped")
        # The server starts the kernel again, within seconds or minutes: another process stays.
        wait(lambda: len(student.kernels() - before) == 1, "a new kernel in the place of the lost")
        assert killed(group) == len(before - student.kernels()) == 1
    finally:
        hub.stop()


@pytest.fixture
def below_a_domain(passwords, tmp_path, monkeypatch):
    """A hub at class.example.org, which for this test is this machine, with a certificate."""
    name, port = "class.example.org", free_port()
    ask = (
        "openssl req -x509 -newkey rsa:2048 -nodes -days 1 -keyout key.pem -out cert.pem"
        f" -subj /CN={name} -addext subjectAltName=DNS:{name},DNS:*.{name}"
    )
    subprocess.run(ask.split(), cwd=tmp_path, check=True, stderr=subprocess.DEVNULL)
    for reader in ("REQUESTS_CA_BUNDLE", "WEBSOCKET_CLIENT_CA_BUNDLE"):
        monkeypatch.setenv(reader, str(tmp_path / "cert.pem"))
    address_of = socket.getaddrinfo
    monkeypatch.setattr(
        socket,
        "getaddrinfo",
        lambda host, *more, **named: address_of(
            "127.0.0.1" if host.endswith(name) else host, *more, **named
        ),
    )
    hub = Hub(
        tmp_path,
        *(f"--JupyterHub.ssl_{part}={tmp_path / part}.pem" for part in ("key", "cert")),
        URL=f"https://127.0.0.1:{port}",
        DOMAIN=f"https://{name}:{port}",
    )
    yield hub
    hub.stop()


def test_below_a_domain_each_student_has_an_origin_and_login_cookies_that_stay_there(
    below_a_domain, passwords
):
    def come_in(person):
        student = Student(below_a_domain, person, passwords[person]).login().start()
        student.server = below_a_domain.url.replace("//", f"//{person}.") + f"/user/{person}/"
        page = student.web.get(f"{student.server}lab", timeout=PATIENCE)  # through the log-in, back
        assert page.ok and page.url.startswith(student.server)
        return student

    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(come_in, PEOPLE[:2])
    for student in (first, second):
        cookies = {c.name: c for c in student.web.cookies if c.name.startswith("__Host-")}
        assert {*cookies} == {
            "__Host-jupyterhub-hub-login",
            f"__Host-jupyterhub-user-{student.name}",
        }
        assert all(c.secure and c.path == "/" and not c.domain_specified for c in cookies.values())
    # A browser shows the first one's cookie to the first one's server, and to nobody else's.
    shown = {
        s.name: get_cookie_header(first.web.cookies, requests.Request("GET", s.server).prepare())
        for s in (first, second)
    }
    assert "__Host-" in shown[first.name] and "__Host-" not in shown[second.name]
    assert first.web.get(f"{second.server}lab", timeout=PATIENCE).status_code == 403
    # At the address of all the hub answers, and no student's server.
    path = f"/user/{first.name}/api/contents"
    answer = first.web.get(below_a_domain.url + path, allow_redirects=False, timeout=PATIENCE)
    assert answer.headers["Location"] == f"{below_a_domain.url}/hub{path}"
    kernel = first.kernel()
    assert kernel.run("print(6 * 7)") == "42\n"
    kernel.stop()


def test_the_proxy_in_use_is_the_one_that_is_pinned():
    asked = json.loads((ROOT / "deploy/proxy/package.json").read_text(encoding="utf-8"))
    package = ROOT / ".venv-hub/node_modules/configurable-http-proxy/package.json"
    version = json.loads(package.read_text(encoding="utf-8"))["version"]
    assert asked["dependencies"] == {"configurable-http-proxy": version}
