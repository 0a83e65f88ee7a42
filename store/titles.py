"""A title in a few words for a paper that came without one: its own name and what it is, or what it is about."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from store.names import Name, long_form, names_in
from store.readable import readable
from store.sentences import split_sentences

LONGEST = 90
_MOST_WORDS = 10
_ENOUGH = 6_000  # characters read; the longest of 21,295 ML abstracts has 4,433

# A phrase ends before a verb. These are the ones met most in first sentences of 10,600 ML abstracts, less those that are
# as often nouns ("models", "estimates", "features").
_VERBS = (
    r"(?:accelerat|achiev|act|address|admit|adopt|aim|allow|appl|aris|assum|avoid|becom|captur|combin|compris|consider|consist|"
    r"contain|converg|defin|deliver|demand|demonstrat|depend|discover|distinguish|driv|emerg|employ|enabl|enhanc|ensur|"
    r"establish|evaluat|exhibit|exploit|explor|extend|fac|facilitat|fail|find|generat|giv|handl|help|identif|improv|incorporat|"
    r"integrat|introduc|investigat|involv|lack|lead|learn|leverag|maintain|mak|maximiz|minimiz|mitigat|motivat|need|occur|offer|"
    r"operat|optimiz|overcom|perform|play|predict|present|preserv|prevent|produc|promis|propos|provid|recogniz|reduc|rel|remain|"
    r"represent|requir|satisf|seek|select|serv|show|simulat|solv|struggl|stud|suffer|tackl|tak|tend|treat|underl|underpin|us|"
    r"utiliz|yield|commonl|increasingl|rarel|typicall|usuall|widel)(?:e?s|ies|y)|achieve|act|aim|allow|become|depend|drive|"
    r"enable|exhibit|face|fail|generate|improve|lack|leverage|make|need|offer|outperform|pass|play|produce|promise|provide|rely|"
    r"remain|require|serve|show|struggle|suffer|achieved|attracted|demonstrated|emerged|enabled|gained|made|received|"
    r"revolutionized|shown|transformed"
)
_ENDS = re.compile(
    r"\s*[,;:!?](?:\s|$)|\s*[—;(]|\s[–-]+\s|\.(?:\s|$)|\s(?:that|which|where|whereby|whom?|whose|when|while|such|so|because|since|"
    r"whether|if|but|as|although|though|thus|thereby|hence|is|are|was|were|be|been|can|cannot|could|may|might|will|would|should|must|"
    r"has|have|had|do|does|we|they|it|this|these|our|their|its|not|only|also|often|still|further|directly|naturally|simultaneously|"
    rf"rapidly|called|named|termed|dubbed|capable|composed|consisting|by|into|to|than|then|{_VERBS})\b"
)
# What authors say of their own work, which tells nothing of it, and the words that lead to the thing itself.
_OPENING = re.compile(
    r"^(?:(?:an?|the|our|this|these|that|there|some|several|many|most|two|three|both|its|one|exists?|of|on|for|in|how|why|what|whether|"
    r"under|from|with|despite|while|although|as|and|but|yet|new|novel|first|simple|effective|efficient|powerful|general|generic|"
    r"principled|innovative|unified|practical|flexible|scalable|comprehensive|lightweight|large-scale|robust|simple-yet-effective|"
    r"easy-to-use|state-of-the-art|open-source|fundamental|important|central|key|known|alternative|existing|recent|current|popular|modern|"
    r"different|certain|particular|specific|good|better|well|real|growing|highly|extremely|very|widely|used|called|so-called|namely|class|"
    r"family|series|set|type|variant|kind|notion|existence|instance|problem|task|question|issue|challenge|use|role|impact|effects?|"
    r"concept|study|ability|possibility|development|application|advance(?:ment)?s|progress|success|years|capabilit(?:y|ies))\s+)+",
    re.I,
)
_DANGLING = re.compile(
    r"(?:[\s,.;:!?…–—-]|(?:\s|^)(?:a|about|across|against|all|among|an|and|any|as|at|based|between|both|by|capable|designed|"
    r"different|directly|each|existing|for|from|given|in|including|into|its|jointly|more|most|multiple|new|novel|of|on|or|over|"
    r"per|resulting|specifically|tailored|that|the|their|three|through|to|towards?|trained|two|under|using|various|via|when|"
    r"which|while|with|within|without))+$"
)
_ASIDE = re.compile(r"\s*[(\[][^()\[\]]*[)\]]")
_LINKS = re.compile(r"(?:of|for|in|on|with|from|via|through|under|across|between|and|using|without|towards|over|based)$")
_DOES = re.compile(
    r"\b(?:agent|algorithm|approach|approximation|architecture|attention|autoencoder|benchmark|dataset|estimator|framework|learning|loss|"
    r"mechanism|method|model|module|network|optimi[sz]ation|paradigm|pipeline|policy|sampler|scheme|strategy|system|technique|training|"
    r"transformer)s?$",
    re.I,
)
_SAYS_LITTLE = re.compile(r"(?:(?:algorithm|approach|architecture|framework|method|model|network|pipeline|strategy|system)\s*)*$")
_WORD = re.compile(r"[^\W_]{2,}")
_SUFFIX = re.compile(r"(?:ations?|ings?|ed|es|s|e|y|ies)$")
_COUNTS_NOT = frozenset(
    _WORD.findall(
        "an and approach are as at based be between by can for framework from in is it its method model models new not novel of "
        "on or our over paper propose results show that the their these this through to under using via we which with without"
    )
)
_PROPER = re.compile(
    r"(?:Bellman|Bernoulli|Bregman|Carlo|Fourier|Frank|Gibbs|Hilbert|Hopfield|Kalman|Koopman|Langevin|Lie|Lipschitz|Lyapunov|Markov|Monte|"
    r"Nash|Newton|Pareto|Poisson|Python|Shapley|Sinkhorn|Sobolev|Stein|Thompson|Wasserstein|Wolfe)\b|\w+(?:ian|ean|ese|ish)s?$"
)
_INSIDE = re.compile(r"(?<=[a-z,] )[A-Z][\w-]*")  # capital though no sentence begins there
_CAPITALISED = re.compile(r"[A-Z][a-z]+(?:-[A-Z]?[a-z]+)*s?")

_AUTHORS = r"\b(?:[Ww]e|paper|work|article|[Hh]ere)\b[^.;]{0,50}?\b"
# Where a paper says what it is about, and what that is worth. All weights here were tuned on 1,500 papers without a name.
_CUES: tuple[tuple[float, re.Pattern[str]], ...] = (
    (1.3, re.compile(
        rf"{_AUTHORS}(?:(?:re-?)?stud(?:y|ies)|(?:investigate|consider|explore|examine|tackle)s?|address(?:es)?|revisits?|analy[sz]es?|"
        r"focus(?:es)? on|initiate the study of|concerned with|deals with) ")),
    (1.3, re.compile(
        rf"{_AUTHORS}(?:propos|introduc|present|develop|describ|design|formulat|construct|deriv|establish)(?:e?s|e)? ")),
    (1.3, re.compile(r"\b(?:problem|task|study|theory|analysis) of ")),
    (0.8, re.compile(r"\b[Ww]e (?:\w+ )?(?:show|prove|demonstrate|identify|provide|argue|give)(?: that)? ")),
    (0.5, re.compile(r"\b(?:through|about|via) ")),
)  # fmt: skip
_TERM = r"([a-zA-Z][a-z-]*(?: [a-z-]+){1,4})"
_MARKED = re.compile(rf"(?<!\*)\*{_TERM}\*(?!\*)|\\(?:emph|textit|textbf)\{{{_TERM}\}}")
_NO_FIELD = re.compile(
    r"(?:We|This|In this|In the|Here|Our|To|How|What|I|It|There|Motivated|Given|Inspired|When|Where|Since|Because|If|By|Can|Is|"
    r"Are|Do|Does|Should|Due|Prior|Previous|Background|Objectives?|Purpose)\b|[^a-z]*$"
)
_PART = re.compile(r"(?:Specifically|In particular|In addition|Additionally|Also|Finally|First|Furthermore|Moreover|Next)\b")
# Chinese and Japanese set no spaces: the first clause of six characters and more is a better title than a cut at the 90th.
_FIRST_CLAUSE = re.compile(r"(?=.{0,20}[\u3040-\u30ff\u3400-\u9fff]{3}).{6,}?(?=[,;.，。；])")
_STOPS = " -–—,;:.!?…)]"
_CLAUSE = re.compile(r"(?:which|that|to) ")


def infer_title(abstract: str) -> str:
    """Write a title from an abstract alone.

    Returns:
        ``Name: what it is`` when the authors name their work, else its topic; one line of readable text, 1 to 90
        characters, no stop at its end. The same abstract always gets the same title.
    """
    text = readable(abstract[:_ENOUGH])
    about = _About(text, marked=[a or b for a, b in _MARKED.findall(abstract[:_ENOUGH])])
    names = names_in(about.sentences)
    title = _named(names[0], about) if names else about.topic()
    return _fitted(title) or _fitted(text) or text[:LONGEST].strip(_STOPS) or "Untitled"


def make_distinct(title: str, abstract: str, taken: Collection[str]) -> str:
    """Tell a paper from those whose title it shares, by a word of its abstract that the title lacks.

    Args:
        title: As inferred.
        abstract: As read.
        taken: Titles already given; case does not count.

    Returns:
        The title itself when it is free, else at most 90 characters, ``title (word)``; never one of those taken.
    """
    lower = {t.lower() for t in taken}
    if title.lower() not in lower:
        return title
    known = set(_stems(title))
    counts = Counter(w for w in re.findall(r"[^\W\d_][\w-]{4,24}", readable(abstract).lower()) if not known & set(_stems(w)))
    tags = [*(word for word, _ in counts.most_common()), *map(str, range(2, len(lower) + 3))]
    options = (f"{title[: LONGEST - len(tag) - 3].rstrip()} ({tag})" for tag in tags)
    return next(option for option in options if option.lower() not in lower)


class _About:
    """What an abstract is about: its phrases, each worth the words that the abstract repeats."""

    def __init__(self, text: str, *, marked: Sequence[str]) -> None:
        self._text = text
        self._marked = marked
        self.sentences = [text[s.start : s.end] for s in split_sentences(text)]
        self._kept = set(_INSIDE.findall(text))
        self._counts = Counter(_stems(text))
        opening = self.sentences[0] if self.sentences else ""
        self._opening = "" if _NO_FIELD.match(opening) else _phrase(opening)
        self._ranked = sorted(self._candidates(), reverse=True)
        self._field = self.cased(self._opening) or self.best()

    def topic(self) -> str:
        """The best phrase, short forms spelled out where there is room, and the field it belongs to."""
        return self.placed(self.cased(long_form(self.best(), self._text, room=60)), room=LONGEST)

    def best(self, *, without: str = "") -> str:
        """The phrase worth most, of those that do not hold a certain name; empty only when no sentence has two words."""
        phrases = (phrase for worth, phrase in self._ranked if worth and not (without and without in phrase))
        return self.cased(next(phrases, "") or self._chunk())

    def placed(self, phrase: str, *, room: int) -> str:
        """The phrase, then "for" or "in" and the field of the paper when that tells more and fits."""
        known, link = _stems(phrase), " for " if _DOES.search(phrase) else " in "
        for field in (self._field, self._field.split(" and ")[0]):
            stems = _stems(field)
            title = phrase + link + field
            news = sum(stem not in known for stem in stems)
            if phrase and news * 2 > len(stems) and len(title) <= room and len(title.split()) <= _MOST_WORDS:
                return title
        return phrase or self._field

    def cased(self, phrase: str) -> str:
        """In lower case what is not a proper name: "Parallel Rollout Approximation" is no German."""
        words = phrase.split()
        titled = [bool(_CAPITALISED.fullmatch(w)) for w in words]
        for i, word in enumerate(words):
            beside = any(titled[max(i - 1, 0) : i] + titled[i + 1 : i + 2])
            if titled[i] and not _PROPER.match(word) and (beside or word not in self._kept or word.lower() in self._text):
                words[i] = word.lower()
        return " ".join(words)

    def _candidates(self) -> Iterator[tuple[float, str]]:
        for i, sentence in enumerate(self.sentences):
            standing = (0.6 if _PART.match(sentence) else 1.0) * (1 - 0.06 * min(i, 15))
            for weight, cue in _CUES:
                for match in cue.finditer(sentence):
                    phrase = _phrase(sentence[match.end() : match.end() + 200])
                    yield weight * standing * self._worth(phrase), phrase
        yield from ((1.3 * self._worth(phrase), phrase) for phrase in self._marked)
        yield 0.3 * self._worth(self._opening), self._opening

    def _worth(self, phrase: str) -> float:
        stems = set(_stems(phrase))
        return sum(min(self._counts[s], 6) for s in stems) / (len(stems) + 1) ** 0.6 if len(stems) > 1 else 0.0

    def _chunk(self) -> str:
        """The best run of words between two verbs or stops, for a text without any cue."""
        chunks = (_phrase(chunk.strip()) for sentence in self.sentences for chunk in _ENDS.split(sentence))
        return max(chunks, key=self._worth, default="")


def _named(name: Name, about: _About) -> str:
    room = LONGEST - len(name.name) - 2
    said = name.description or ""
    if said.startswith(("with ", "for ")) and not name.expansion:
        topic = re.split(" with | for ", about.best(without=name.name))[0]
        what = _shortened(f"{topic} {about.cased(_phrase(said, from_start=True))}".split())
        return f"{name.name}: {what}"
    what = "" if _CLAUSE.match(said) else about.cased(_phrase(said))
    if name.expansion and len(what.split()) < 3:
        what = about.cased(name.expansion)
    if _SAYS_LITTLE.match(what.lower()):
        what = about.best(without=name.name)
    return f"{name.name}: {about.placed(what, room=room)}".removesuffix(": ")


def _phrase(text: str, *, from_start: bool = False) -> str:
    """The noun phrase a text begins with, bare of praise: at most ten words, no preposition left dangling."""
    text = _ASIDE.sub("", text)
    bare = " " + (text if from_start else _OPENING.sub("", text))
    end = _ENDS.search(bare)
    phrase = _shortened((bare[: end.start()] if end else bare).split())
    return "" if _OPENING.fullmatch(phrase + " ") else phrase


def _shortened(words: list[str]) -> str:
    """Ten words at most, up to the last preposition among them, so that no noun loses its neighbour."""
    if len(words) > _MOST_WORDS:
        links = [i for i, word in enumerate(words[: _MOST_WORDS + 1]) if i > 2 and _LINKS.match(word)]
        words = words[: links[-1] if links else _MOST_WORDS]
    return _DANGLING.sub("", " ".join(words)).strip()


def _stems(text: str) -> list[str]:
    words = (word for word in _WORD.findall(text.lower()) if word not in _COUNTS_NOT)
    return [_SUFFIX.sub("", word) if len(word) > 4 else word for word in words]


def _fitted(title: str) -> str:
    """At most 90 characters, cut between words; a plain first word gets its capital, the ends lose their stops."""
    title = " ".join(re.sub(r"[$\\{}]", "", title).split())  # what `readable` leaves of a broken formula
    if clause := _FIRST_CLAUSE.match(title):
        title = clause[0]
    if len(title) > LONGEST:
        title = title[: LONGEST + 1].rsplit(" ", 1)[0][:LONGEST]
    title = _DANGLING.sub("", title).lstrip(_STOPS)
    return title[:1].upper() + title[1:] if re.match(r"[a-z-]+(?:\s|$)", title) else title
