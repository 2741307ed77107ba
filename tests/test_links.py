"""Addresses outside have the form of what they name, without a network."""

import http.server
import threading

import links
import pytest


def test_every_address_of_the_book_has_its_form():
    found = links.addresses()
    assert len(found) > 150 and sum("arxiv.org" in address for address in found) > 60
    assert {address: links.fault(address) for address in found if links.fault(address)} == {}


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("https://arxiv.org/abs/1706.03762", None),
        ("https://arxiv.org/abs/170603762", "arxiv.org"),
        ("https://arxiv.org/1706.03762", "arxiv.org"),
        ("https://doi.org/11.1145/1498765", "doi.org"),
        ("http://d2l.ai", "https"),
    ],
)
def test_a_slip_in_a_number_is_seen(address, said):
    found = links.fault(address)
    assert found is None if said is None else said in found


class Answers(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(int(self.path[1:]))
        self.end_headers()

    def log_message(self, *_):
        pass


def test_what_does_not_answer_is_named_with_its_files(monkeypatch, capsys):
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        base = f"http://127.0.0.1:{server.server_port}"
        named = {f"{base}/{code}": {"one.md", "two.md"} for code in (200, 403, 404, 500)}
        monkeypatch.setattr(links, "addresses", lambda: named)
        assert links.main(ask=True) == 1
        server.shutdown()
    said = capsys.readouterr().out.splitlines()
    assert [line.split(":")[2].partition("/")[2] for line in said] == ["404", "500"]
    assert all("(one.md, two.md)" in line for line in said)
