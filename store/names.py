"""The names an abstract gives to its own work: its system, its data, its idea; never the models it only compares with."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from store.readable import readable
from store.sentences import split_sentences

Kind = Literal["system", "data", "idea"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Name:
    """A name of a paper's own, as a person reads it.

    Attributes:
        kind: ``system`` for a method, model or tool; ``data`` for a dataset, benchmark or corpus; ``idea`` for a task,
            problem or effect that the paper names.
        expansion: The long form, as in ``Parallel Rollout Approximation (PRA)``, or None.
        description: What the sentence says it is, up to its end: ``a stripe attention that ...``, ``which ...``,
            ``with ...``. None when it says nothing.
        score: How sure, 2 at least; "we introduce X, a ..." gives 5 and more.
    """

    name: str
    kind: Kind
    expansion: str | None = None
    description: str | None = None
    score: float = 0.0


# A word with a capital or a digit in it, or up to five such: "ParaVT", "PSP-DiT", "pyMARL", "sui-1", "Pandora's Router".
_PIECE = r"(?=[\w@-]*?[A-Z\d])[^\W_][\w'’*+²³@]*(?:[-/.&](?!(?:a|an|the) )[\w²³+*]+)*"
_NAME = rf"(?P<name>{_PIECE}(?: {_PIECE}){{0,4}})(?!\w)"
_MAKES = (
    r"(?:\b(?:introduc|propos|releas|describ|contribut|curat|formulat|devis|formaliz|provid|creat|advanc|pioneer|explor|investigat)"
    r"(?:e|es|ing)\b|\b(?:present|develop|design|construct|build|establish|offer|implement|unveil|report|assembl|collect)(?:s|ing|e)?\b"
    r"|\b(?:built|(?:is|are|been) (?:introduced|proposed|presented|developed))\b)"
)
_CALLED = (
    r"\b(?:called|named|termed|dubbed|coined|namely|titled|denoted(?: as| by)?|refer(?:red)? to (?:\w+ )?as|abbreviated as|"
    r"i\.e\.,?|known as)"
)
_WHAT = (
    r"(?:agent|algorithm|approach|architecture|benchmark|dataset|framework|method|model|network|pipeline|solution|strategy|system|"
    r"technique)"
)
_DOES = (
    r"(?:achiev|attain|combin|comprises|consist|contains|deliver|demonstrat|employ|enabl|exceed|generaliz|improv|learn|leverag|match|"
    r"obtain|outperform|provid|reach|reduc|set|show|significantly|substantially|surpass|use|yield|is (?:an?|the|able)\b)"
)
_QUOTE = r"[“\"'‘(]?"

# How an abstract introduces a name, and what that is worth. From 3 on it is an introduction, below only a hint.
_INTRODUCED = 3.0
_CUES: tuple[tuple[float, re.Pattern[str]], ...] = (
    (3.0, re.compile(rf"{_MAKES},? (?:and \w+ |with |our |the |(?:our|the)(?: \w+)? {_WHAT},? )?{_QUOTE}{_NAME}")),
    (3.5, re.compile(rf"{_CALLED}:? (?:the |a |an |our )?{_QUOTE}{_NAME}")),
    (4.0, re.compile(rf"\b[Ww]e (?:call|term|dub|name|refer to|coin)\b(?: [\w-]+){{0,6}}? (?:as |the |a )?{_QUOTE}{_NAME}")),
    (3.0, re.compile(rf"{_MAKES}(?P<long> [^().;]{{3,140}}?) \({_QUOTE}{_NAME}[”\"'’]?[);,]")),
    (2.5, re.compile(rf"{_MAKES}[^().;,:]{{3,100}}?(?:,|:| [-–—]+) {_NAME}(?=[,.;:(]| \(| [-–—]| that | which | to |$)")),
    (1.5, re.compile(rf"\b(?:[Oo]ur|[Tt]he (?:proposed|resulting))(?: \w+)?(?: {_WHAT}s?)?,? {_NAME}")),
    (1.0, re.compile(rf"\bwith {_NAME}, (?=(?:an? )?[a-z])")),
    (1.0, re.compile(rf"(?:^|, |that ){_NAME}(?: \([^)]*\))? (?={_DOES})")),
)  # fmt: skip

# Made by others and met in the results of many: a paper's own only when it says "we introduce".
_OTHERS = re.compile(
    r"(?:GPT|BERT|RoBERTa|LLaMA|Llama|Qwen|Gemini|Claude|DeepSeek|Mistral|CLIP|ResNet|ViT|DINO|SAM|T5|FLUX|Stable|ImageNet|CIFAR|MNIST|"
    r"COCO|MS-COCO|KITTI|nuScenes|Waymo|SQuAD|GLUE|SuperGLUE|MMLU|GSM8K|MATH|AIME|Atari|MuJoCo|OpenAI|Google|Wikipedia|Amazon|GitHub|"
    r"SGD|Adam|GRPO|PPO|DPO|LoRA|BLEU|CUDA|GPU|CPU|PyTorch|TensorFlow|Python|arXiv|NeRF|YOLO|MIMIC)(?:[-\d.]|v\d|$| \d)"
)
# Never a name: numbers, plurals of short forms ("LLMs"), words that only begin a sentence, and short forms of the field:
# those found most often as the first name of 10,664 papers.
_GENERAL = re.compile(
    r"(?:[\d.,]+[A-Za-z]?|\d+-[a-z]+|[A-Z][A-Za-z]*[A-Z]s|[A-Z]{1,6}s|[A-Z]|[234]D|3DGS|AI|API|AR|ASR|BP|CFG|CFR|CL|CMDP|CNN|CoT|DAG|DNN|"
    r"DP|DSL|EM|FL|GAN|GNN|GP|ICL|ILP|IR|IRL|KG|KL|KV|LDP|LLM|LMM|LP|LSTM|MARL|MCMC|MCTS|MDP|ML|MLLM|MTL|MoE|NAS|NLP|ODE|OOD|OPE|PAC|PCA|"
    r"PDE|POMDP|QA|RAG|RL|RLHF|RLVR|RNN|SDE|SDP|SFT|SOTA|SSL|SVD|SVM|SoTA|TTS|VAE|VLA|VLM|VQA|I{1,3}|An?|Code|Experiments?|Extensive|"
    r"First|For|In|It|Monte Carlo|On|Our|The|This|To|We)"
)
_ADJECTIVE = re.compile(r"-[a-z]{4,}$|(?:ian|ese|esque|ov|'s|’s)$")
_DATA = re.compile(r"\b(?:data ?sets?|benchmarks?|corpus|corpora|test ?beds?|(?:test|evaluation) suite)\b|bench\b", re.I)
_IDEA = re.compile(r"\b(?:task|problem|paradox|phenomenon|effect|hypothesis|setting|dilemma|challenge)\b", re.I)
_LINK = re.compile(r"(?:and|at|for|from|in|of|on|the|to|with) ")
_PREPOSITION = re.compile(r" (?:of|for|in|on|with|by|from|to|via|using|between|that|which|under|based|where) ")

# What stands right before and after a name.
_MADE = re.compile(_MAKES)
_LEADS_TO_NAME = re.compile(rf"[\s,:–—-]*(?:{_CALLED})?[\s“\"'‘(,]*$")
_CLOSES = rf"[”\"'’)]*(?: {_WHAT})?"
_APPOSITION = re.compile(rf"{_CLOSES}(?:,|:| [-–—]+) ((?:which is |the first |an? |the |our )?[^.;]*[^.;\s])")
_CLAUSE = re.compile(rf"{_CLOSES},? ((?:that|which|to|for|with) [^.;]*[^.;\s])")
_LONG_FORM = re.compile(r"[”\"'’]? ?\(([^()]{8,120})\)")
_SHORT_FORM = re.compile(rf"[”\"'’]? \({_QUOTE}({_PIECE})[”\"'’]?[);,]")
_AFTER_ONE_WORD = re.compile(rf"\W? ?(?:[,:(–—-]|$|\.|(?:that|which|to|for|with|{_WHAT})\b)")


def system_names(abstract: str) -> list[Name]:
    """Find what the authors call their own work, best first.

    Args:
        abstract: As read or readable; a name split by emphasis (``**Para**VT``) is found as well.

    Returns:
        Each name once, by falling score, then by place in the text. Empty when the work has no name.
    """
    text = readable(abstract)
    return names_in([text[span.start : span.end] for span in split_sentences(text)])


def names_in(sentences: Sequence[str]) -> list[Name]:
    """`system_names` of an abstract that is readable and cut into its sentences already."""
    found: dict[str, Name] = {}
    for sentence in sentences:
        for name in _introduced(sentence):
            found[name.name] = _merged(found[name.name], name) if name.name in found else name
    text = " ".join(sentences)
    words = Counter(re.findall(r"[\w-]+", text))
    scored = (replace(name, score=_score(name, words[name.name] or text.count(name.name))) for name in found.values())
    return sorted((name for name in scored if name.score >= _SURE), key=lambda name: -name.score)


def long_form(phrase: str, text: str, *, room: int) -> str:
    """Spell out the short forms in a phrase that a text explains, as in "mean-field Langevin dynamics (MFLD)".

    Args:
        phrase: A phrase of the text.
        text: Readable text.
        room: Most characters of the result; a short form whose long form does not fit stays.
    """
    for short in re.findall(r"(?<![\w-])[A-Z][A-Za-z]*[A-Z](?![\w-])", phrase):
        explained = re.search(rf"((?:[\w-]+ ){{1,6}})\({short}\)", text)
        spelled = _expansion_in(explained[1].strip(), short) if explained else None
        longer = phrase.replace(short, spelled or short)
        phrase = longer if len(longer) <= room else phrase
    return phrase


def _introduced(sentence: str) -> Iterator[Name]:
    for weight, cue in _CUES:
        for match in cue.finditer(sentence):
            name = _read(sentence, match, weight)
            if name:
                yield name


def _read(sentence: str, match: re.Match[str], weight: float) -> Name | None:
    word, rest = re.sub(r"^(?:The|Our|An?) ", "", match["name"].rstrip("'’")), sentence[match.end("name") :]
    long, expansion = match.groupdict().get("long"), None
    if long:
        expansion = _expansion_in(long, word)
        if _PREPOSITION.search(long.removesuffix(expansion or "")):  # "a method for large language models (LLMs)"
            return None
    if short := _SHORT_FORM.match(rest):
        expansion, word, rest = word, short[1], rest[short.end() :]
    elif spelled := _LONG_FORM.match(rest):
        expansion, rest = spelled[1] if _is_short_for(word, spelled[1]) else expansion, rest[spelled.end() :]
    if not _is_a_name(word, rest, weight):
        return None
    description = _description(rest) or (long or "").strip() or _before(match) or None
    kind = _kind(word, rest, description, expansion)
    return Name(name=word, kind=kind, expansion=expansion, description=description, score=weight)


def _is_a_name(word: str, rest: str, weight: float) -> bool:
    if _GENERAL.fullmatch(word) or _ADJECTIVE.search(word) or (weight < _INTRODUCED and _OTHERS.match(word)):
        return False
    capitals, digits = sum(c.isupper() for c in word), sum(c.isdigit() for c in word)
    if capitals > 1 or (digits and (capitals or weight >= _INTRODUCED)):
        return True
    return bool(capitals) and weight > 2 and bool(_AFTER_ONE_WORD.match(rest))


def _expansion_in(long: str, short: str) -> str | None:
    """The end of a phrase that a short form stands for: two words at least, from the same letter on."""
    words = long.split()
    for n in range(2, len(words) + 1):
        tail = " ".join(words[-n:])
        if tail[0].lower() == short[0].lower() and not _LINK.match(tail) and _is_short_for(short, tail):
            return tail
    capitals = re.search(r"(?:[A-Z][\w-]+ )+[A-Z][\w-]+$", long)
    return capitals[0] if capitals else None


def _is_short_for(short: str, long: str) -> bool:
    letters = iter(long.lower())
    return all(c in letters for c in short.lower() if c.isalpha())


def _description(rest: str) -> str | None:
    match = _APPOSITION.match(rest) or _CLAUSE.match(rest)
    return match[1] if match else None


def _before(match: re.Match[str]) -> str | None:
    """What the name stands behind: "a robust training method" in "we propose a robust training method called SELFIE"."""
    before = match.string[max(0, match.start("name") - 150) : match.start("name")]
    made = [found.end() for found in _MADE.finditer(before)]
    phrase = _LEADS_TO_NAME.sub("", before[made[-1] :]).strip() if made else ""
    return phrase if " " in phrase and not re.search("[,;:(]", phrase) else None


def _kind(word: str, rest: str, description: str | None, expansion: str | None) -> Kind:
    about = " ".join([word, *rest.split()[:1], *(description or "").split()[:9], expansion or ""])
    if _DATA.search(about):
        return "data"
    return "idea" if _IDEA.search(about) else "system"


def _merged(first: Name, again: Name) -> Name:
    return replace(
        first,
        kind=first.kind if first.description else again.kind,
        expansion=first.expansion or again.expansion,
        description=first.description or again.description,
        score=max(first.score, again.score) + 0.5,
    )


# Tuned on half of the 4,460 papers titled "Name: ...". That a dataset gives way to the system beside it costs 1 % of those
# names, and is what a reader looks for.
_SURE = 2.0
_WORTH: dict[Kind, float] = {"system": 0.0, "data": -2.0, "idea": -1.5}


def _score(name: Name, mentions: int) -> float:
    told = name.description is not None and name.description.startswith(("a ", "an ", "the "))
    looks = (0.0 if name.name.isupper() else 0.6) - (1.0 if " " in name.name else 0.0)
    return name.score + 0.5 * min(mentions, 5) + (1.5 if told else 0.0) + looks + _WORTH[name.kind]
