"""One machine for a class: each student's own JupyterLab with an own copy of the chapters.

`make hub` sets up and starts it, as root, since it logs in the machine's own users. Existing parts
only: JupyterHub, its proxy, its spawner of system users, its culler of idle servers. The
variables D2LATTN_HUB_* change what a lecturer may want to change.
"""

import math
import os
import sys
from pathlib import Path

DEPLOY = Path(__file__).resolve().parent
ENVIRONMENT = Path(sys.prefix)  # .venv-hub


def setting(name, default):
    return os.environ.get(f"D2LATTN_HUB_{name}", default)


def gib(name, default):
    """A setting in GiB, of which a part is one, too."""
    try:
        found = float(setting(name, default))
    except ValueError:
        found = math.nan
    if not 0 < found < math.inf:
        sys.exit(f"D2LATTN_HUB_{name} must be a number above 0, got {setting(name, default)}")
    return found


c = get_config()  # noqa: F821 (JupyterHub gives it)

# Database, secret and the proxy's number lie where students may read: they are root's alone.
os.umask(0o077)

# Loopback: a web server with a certificate goes before it (or give c.JupyterHub.ssl_key, ssl_cert).
c.JupyterHub.bind_url = setting("URL", "http://127.0.0.1:8000")
c.ConfigurableHTTPProxy.api_url = setting("PROXY_API", "http://127.0.0.1:8001")
c.JupyterHub.hub_bind_url = setting("HUB_API", "http://127.0.0.1:8081")
c.ConfigurableHTTPProxy.command = [
    str(ENVIRONMENT / "node_modules" / ".bin" / "configurable-http-proxy")
]

# Under a public address each student gets a name below it, user.class.example.org, and so an origin
# of an own: a page of one cannot read another's. The cookies are for exactly one host (__Host-),
# which browsers grant with https only.
if domain := setting("DOMAIN", ""):
    if not domain.startswith("https://"):
        sys.exit(f"D2LATTN_HUB_DOMAIN must begin with https://, got {domain}")
    c.JupyterHub.subdomain_host = domain
    c.JupyterHub.cookie_host_prefix_enabled = True

# Who may come in: the system's users of one group, with the system's passwords.
c.JupyterHub.authenticator_class = "pam"
c.PAMAuthenticator.open_sessions = False
c.LocalAuthenticator.allowed_groups = {setting("GROUP", "students")}

# What a student gets: student.sh copies the chapters, sets the limits and starts the server.
c.Spawner.cmd = [str(DEPLOY / "student.sh")]
c.Spawner.default_url = "/lab/tree/d2lattn/00_start_here.ipynb"
c.Spawner.environment = {
    "BOOK": str(DEPLOY.parent / "notebooks"),
    "MEMORY_BYTES": str(round(gib("MEMORY_GIB", "6") * 2**30)),  # a shell reckons in whole numbers
    "PROCESSES": setting("PROCESSES", "256"),
    "OMP_NUM_THREADS": setting("THREADS", "1"),  # thirty students, and not so many cores
    "JUPYTER_CONFIG_PATH": str(DEPLOY.parent / ".jupyter"),  # no news popup
    "D2LATTN_CACHE": os.environ.get("D2LATTN_CACHE", ""),  # one real model for all
}
c.Spawner.start_timeout = c.Spawner.http_timeout = 120  # a whole class starts within a minute
c.JupyterHub.concurrent_spawn_limit = 20

# What all processes of a student take together: a control group's, where the system has them.
if setting("TOTAL_GIB", ""):
    most = gib("TOTAL_GIB", "")
    sys.path.insert(0, str(DEPLOY))
    from together import together

    c.JupyterHub.spawner_class = together(most)

# Servers that nobody uses make room.
idle = setting("IDLE_SECONDS", "3600")
c.JupyterHub.services = [
    {
        "name": "idle-culler",
        "command": [
            *(sys.executable, "-m", "jupyterhub_idle_culler", f"--timeout={idle}"),
            f"--cull-every={max(1, int(idle) // 6)}",
        ],
    }
]
c.JupyterHub.load_roles = [
    {
        "name": "idle-culler",
        "scopes": ["list:users", "read:users:activity", "read:servers", "delete:servers"],
        "services": ["idle-culler"],
    }
]
