"""The terminal: what it prints of answers, papers, receipts and tables, and that nothing raw of a paper reaches it."""

from __future__ import annotations

import io
import json
import re
import sys

import pytest

from assistant.answers import Answer, Citation, Claim, Quote, Ranked
from assistant.terminal import Terminal, prepare_streams, safe
from store.papers import Paper, Skipped
from store.receipts import Duplicate, EmbeddingReceipt, Receipt, SourceReceipt, Warned

RAW = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e007f]"
)
ESCAPES = "\x1b[31m \x1b]0;owned\x07 \x9b31m \u202eevil\u202c \u2066x\u2069 \u2028 \x00 \x7f \U000e0041 \ud800 \x85 \r"
ABSTRACT = (
    f"We fold graphs {ESCAPES} quickly. GraphZip is 3.4x faster than \\textbf{{exact}} factorisation, we find, on 412 graphs."
)


def paper(**fields):
    return Paper(**{"id": "p1", "title": "On graphs", "abstract": ABSTRACT} | fields)


HOSTILE = paper(
    id=f"id{ESCAPES}", title=f"Title {ESCAPES} [bold]x[/bold]", authors=(f"Eve {ESCAPES}", "B", "C", "D", "E"),
    venue=f"V{ESCAPES}", year=2025, url=f"http://x/{ESCAPES}", keywords=(f"k{ESCAPES}",), title_inferred=True,
)  # fmt: skip


def cited(of, status="answered", **fields):
    """An answer that quotes a whole abstract."""
    quote = Quote(of.abstract, 0, len(of.abstract))
    given = {
        "question": "How much faster is graph factorisation?",
        "status": status,
        "reason": None if status == "answered" else "not_in_abstracts",
        "text": f"{of.abstract} [1]",
        "claims": (Claim(of.abstract, (1,)),),
        "citations": (Citation(1, of, (quote,)),),
        "hits": (Ranked(1, of, 0.9),),
        "note": "A note.",
    }
    return Answer(**given | fields)


@pytest.fixture
def printed(capsys, monkeypatch):
    """What a call of the terminal's printed: (standard output, standard error)."""
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.setenv("COLUMNS", "80")

    def run(call, *, quiet=False):
        call(Terminal(quiet=quiet))
        return capsys.readouterr()

    return run


@pytest.fixture
def coloured(printed, monkeypatch):
    """The same on a terminal with colours; standard output only."""

    def run(call):
        monkeypatch.setenv("FORCE_COLOR", "1")
        monkeypatch.setenv("TERM", "xterm-256color")
        monkeypatch.delenv("NO_COLOR", raising=False)
        return printed(call).out

    return run


def plain(text):
    return " ".join(text.split())


# -- safe text -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain α 字 🙂 é", "plain α 字 🙂 é"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("windows\r\nlines", "windows\nlines"),
        ("over\rwritten", "over\\rwritten"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("\x9b31m", "\\x9b31m"),
        ("nul\x00 del\x7f nel\x85", "nul\\x00 del\\x7f nel\\x85"),
        ("\u202eabc\u202c", "\\u202eabc\\u202c"),
        ("\u2066a\u2069\u200e\u200f\u061c", "\\u2066a\\u2069\\u200e\\u200f\\u061c"),
        ("line\u2028paragraph\u2029", "line\\u2028paragraph\\u2029"),
        ("\ud800", "\\ud800"),
        ("tag\U000e0041", "tag\\U000e0041"),
        ("back\x08space \x0b\x0c", "back\\x08space \\x0b\\x0c"),
        ("", ""),
    ],
)
def test_control_characters_are_shown_as_escapes(text, shown):
    assert safe(text) == shown
    assert safe(shown) == shown


# -- answers -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("columns", ["60", "200", "5"])
@pytest.mark.parametrize("status", ["answered", "abstained"])
def test_an_answer_has_nothing_raw_and_fits_any_width(status, columns, printed, monkeypatch):
    monkeypatch.setenv("COLUMNS", columns)
    shown = printed(lambda terminal: terminal.answer(cited(HOSTILE, status)))

    assert RAW.findall(shown.out) == []
    assert shown.err == ""
    assert max(len(line) for line in shown.out.split("\n")) <= max(20, min(int(columns), 100))
    assert "[bold]" in shown.out


def test_an_answer_is_a_paragraph_then_its_papers_with_their_quotes(printed):
    clean = paper(authors=("Ada", "Bo", "Cy", "Di"), venue="ICML", year=2024, url="https://example.org/x", doi="10.1/x")
    answer = cited(clean, text="It is 3.4x faster. [1]", note="Look again.")
    paragraphs = printed(lambda terminal: terminal.answer(answer)).out.strip().split("\n\n")

    assert paragraphs[0].strip() == "It is 3.4x faster. [1]"
    head, facts, *quote = [line.strip() for line in paragraphs[1].split("\n")]
    assert head == "[1] On graphs"
    assert facts == "Ada, Bo, Cy and 1 more · ICML 2024 · https://example.org/x · id p1"
    assert " ".join(quote).startswith("“We fold graphs")
    assert " ".join(quote).endswith("GraphZip is 3.4x faster than exact factorisation, we find, on 412 graphs.”")
    assert paragraphs[2].strip() == "Look again."


def test_a_title_that_was_inferred_is_marked(printed):
    shown = [printed(lambda terminal, p=p: terminal.answer(cited(p))).out for p in (paper(), paper(title_inferred=True))]

    assert ["On graphs  (title inferred)" in out for out in shown] == [False, True]


def test_a_note_is_left_out_when_quiet(printed):
    answer = cited(paper(), note="Look again.")

    assert "Look again." in printed(lambda terminal: terminal.answer(answer)).out
    assert "Look again." not in printed(lambda terminal: terminal.answer(answer), quiet=True).out


def test_the_nearest_papers_are_named_where_none_is_cited(printed):
    hits = tuple(Ranked(n, paper(id=f"p{n}", title=f"Paper {n}\x1b[1m"), 0.1) for n in range(1, 6))
    answer = cited(paper(), "abstained", text="Nothing is about that.", citations=(), claims=(), hits=hits)
    out = printed(lambda terminal: terminal.answer(answer)).out

    assert "Nearest papers, none of them close:" in out
    assert ["Paper 1" in out, "Paper 3" in out, "Paper 4" in out] == [True, True, False]
    assert RAW.findall(out) == []
    assert "Nearest" not in printed(lambda terminal: terminal.answer(cited(paper(), "abstained"))).out


def test_words_shared_with_the_question_stand_out(coloured):
    answer = cited(paper(abstract="Factorisations of graphs: 3.4x."), question="Is factorisation of Graphs fast?", note="")
    out = coloured(lambda terminal: terminal.answer(answer))
    bold = re.findall(r"\x1b\[1;32m([^\x1b]*)\x1b\[0m", out)

    assert bold == ["Factorisations", "graphs"]


def test_colours_are_the_only_escapes_on_a_terminal(coloured):
    out = coloured(lambda terminal: terminal.answer(cited(HOSTILE)))

    assert "\x1b[" in out
    assert RAW.findall(re.sub(r"\x1b\[[\d;]*m", "", out)) == []


def test_citation_numbers_are_coloured_and_an_abstention_is_another_colour(coloured):
    answered, abstained = (
        coloured(lambda terminal, s=status: terminal.answer(cited(paper(), s, text="It is so. [1][2]", citations=())))
        for status in ("answered", "abstained")
    )

    assert "It is so. \x1b[2;36m[1][2]\x1b[0m" in answered
    assert "\x1b[33mIt is so. \x1b[0m\x1b[2;36m[1][2]\x1b[0m" in abstained


def test_no_colours_are_printed_into_a_pipe(printed):
    assert "\x1b" not in printed(lambda terminal: terminal.answer(cited(paper()))).out


# -- papers --------------------------------------------------------------------------------------------------------------


def test_hits_have_rank_score_and_best_sentence(printed):
    hits = [(Ranked(n, paper(id=f"p{n}"), 0.876 / n), f"Sentence\n{n} of $\\alpha$.") for n in (1, 2)]
    out = printed(lambda terminal: terminal.hits(hits)).out

    assert plain(out) == "1 On graphs 0.88 id p1 Sentence 1 of α. 2 On graphs 0.44 id p2 Sentence 2 of α."


def test_a_paper_is_printed_whole_and_safely(printed):
    out = printed(
        lambda terminal: terminal.paper(paper(keywords=("graphs", "sketches"), abstract="One.\n\nTwo \\textbf{x}."))
    ).out
    hostile = printed(lambda terminal: terminal.paper(HOSTILE)).out

    assert "Keywords: graphs, sketches" in out
    assert "One.\n\nTwo \\textbf{x}." in out
    assert "stops inside a sentence" not in out
    assert RAW.findall(hostile) == []


def test_an_abstract_that_is_cut_off_is_said_to_be(printed):
    assert "This abstract stops inside a sentence." in printed(lambda t: t.paper(paper(flags=("cut_off",)))).out


@pytest.mark.parametrize(
    ("fields", "facts"),
    [
        ({}, "id p1"),
        ({"year": 2024}, "2024 · id p1"),
        ({"venue": "ICML"}, "ICML · id p1"),
        ({"doi": "10.1/x"}, "10.1/x · id p1"),
        ({"doi": "10.1/x", "url": "http://x"}, "http://x · id p1"),
        ({"authors": ("A", "B", "C")}, "A, B, C · id p1"),
        ({"authors": ("Erd\\H{o}s",)}, "Erdős · id p1"),
    ],
)
def test_facts_are_those_that_are_known(fields, facts, printed):
    assert printed(lambda terminal: terminal.paper(paper(**fields))).out.split("\n")[2] == facts


def test_a_table_has_a_line_for_each_name(printed):
    out = printed(lambda terminal: terminal.table({"papers": "6", "folder\x1b[1m": "/x\x1b[31m"})).out

    assert out.split("\n")[0].split() == ["papers", "6"]
    assert "/x\\x1b[31m" in out


# -- receipts ------------------------------------------------------------------------------------------------------------


def receipt(**fields):
    source = SourceReceipt("papers.txt", "text", None, 1_200, 1_190, fields.pop("skipped", []))
    return Receipt(
        "/library", False, EmbeddingReceipt("local-minilm", 384, 1_190), [source], added=1_190, unchanged=2, seconds=1.94,
        **fields,
    )  # fmt: skip


def test_a_receipt_says_what_became_of_every_record(printed):
    lines = printed(lambda terminal: terminal.receipt(receipt())).out.splitlines()

    assert lines == [
        "papers.txt: 1,200 records read as text, 1,190 with an abstract",
        "1,190 added, 0 changed, 2 unchanged; 1,190 embedded with local-minilm in 1.9 s",
    ]


def test_of_many_records_that_were_skipped_five_are_named(printed):
    skipped = [Skipped(f"line {n}", "heading", f"\x1b[31mTitle {n} " + "x" * 200) for n in range(1, 1_206)]
    lines = printed(lambda terminal: terminal.receipt(receipt(skipped=skipped))).out.splitlines()

    assert [line.split(" (")[0] for line in lines[1:6]] == [f"  skipped line {n}" for n in range(1, 6)]
    assert lines[6] == "  … and 1,200 more skipped; --json lists them all"
    assert max(map(len, lines)) < 110
    assert RAW.findall("".join(lines)) == []


def test_duplicates_notes_and_inferred_titles_are_told(printed):
    duplicates = [Duplicate("p1", f"file:{n}", "same abstract") for n in range(6)]
    warnings = [Warned("p1", "cut_off", "ends in \x1b[1mthe"), *(Warned(f"p{n}", "title_inferred", "T") for n in range(3))]
    out = printed(lambda terminal: terminal.receipt(receipt(duplicates=duplicates, warnings=warnings))).out

    assert "  left out file:0: same abstract as p1" in out
    assert "  … and 1 more duplicates; --json lists them all" in out
    assert "  note, cut off: p1 ends in [1mthe" in out
    assert "  3 without a title; one was inferred from the abstract and is marked so" in out


def test_a_dry_run_says_what_would_be(printed):
    planned = receipt()
    planned.dry_run, planned.sources[0].declared = True, 1_300
    out = printed(lambda terminal: terminal.receipt(planned)).out

    assert "1,200 records of 1,300 declared read as text" in out
    assert "1,190 would be added, 0 would be changed" in out


# -- lines, data, errors -------------------------------------------------------------------------------------------------


def test_results_and_what_is_about_the_work_go_apart(printed):
    def speak(terminal):
        terminal.line("result \x1b[1m")
        terminal.hint("hint \x1b[1m")
        terminal.error("failed \x1b[1m")

    assert printed(speak) == ("result \\x1b[1m\n", "hint \\x1b[1m\nabstracts: failed \\x1b[1m\n")
    assert printed(speak, quiet=True) == ("result \\x1b[1m\n", "abstracts: failed \\x1b[1m\n")


def test_data_is_json_that_is_safe_to_show_and_exactly_what_it_was(printed):
    value = {"text": ESCAPES + 'α\n\t"', "list": [1, None, 0.5]}
    out = printed(lambda terminal: terminal.data(value)).out

    assert RAW.findall(out) == []
    assert json.loads(out) == value
    assert "α" in out


def test_data_is_ascii_where_the_terminal_speaks_nothing_else(monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(), encoding="latin-1")
    monkeypatch.setattr(sys, "stdout", stream)
    Terminal().data({"text": "α é"})
    stream.flush()

    assert json.loads(stream.buffer.getvalue().decode("ascii")) == {"text": "α é"}


def test_what_an_encoding_lacks_comes_out_as_an_escape(monkeypatch):
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="latin-1") for _ in range(2)]
    monkeypatch.setattr(sys, "stdout", streams[0])
    monkeypatch.setattr(sys, "stderr", streams[1])
    prepare_streams()
    Terminal().line("α é")
    Terminal().error("β")
    for stream in streams:
        stream.flush()

    assert streams[0].buffer.getvalue() == "\\u03b1 é\n".encode("latin-1")
    assert streams[1].buffer.getvalue() == b"abstracts: \\u03b2\n"


# -- progress ------------------------------------------------------------------------------------------------------------


def work(terminal, total=3):
    with terminal.progress("Embedding", total) as progress:
        for done in range(1, total + 1):
            progress(done)


def test_progress_is_silent_in_a_pipe(printed):
    assert printed(work) == ("", "")


@pytest.mark.parametrize(("quiet", "total", "shown"), [(False, 3, True), (True, 3, False), (False, 0, False)])
def test_progress_is_shown_on_a_terminal_unless_quiet_or_without_work(quiet, total, shown, printed, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm-256color")
    out, err = printed(lambda terminal: work(terminal, total), quiet=quiet)

    assert out == ""
    assert ("Embedding" in err) is shown


def test_an_error_inside_the_work_comes_through_the_progress(printed, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)

    def fail(terminal):
        with terminal.progress("Embedding", 3):
            raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        printed(fail)


def test_a_pipe_that_nobody_reads_is_an_error_of_ours_to_handle(monkeypatch):
    class Closed(io.StringIO):
        def write(self, text):
            raise BrokenPipeError

    monkeypatch.setattr(sys, "stdout", Closed())

    with pytest.raises(BrokenPipeError):
        Terminal().answer(cited(paper()))
