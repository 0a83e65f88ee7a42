"""Settings: what the environment sets, what it cannot, and that a key is never shown."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from assistant.settings import Settings, default_library, load_settings
from store.errors import UsageError

SECRET = "sk-this-must-not-be-shown"


def test_without_an_environment_there_are_defaults():
    settings = load_settings({})

    assert settings.library == default_library()
    assert (settings.embedding, settings.timeout, settings.api_key, settings.base_url) == (None, 60.0, None, None)


def test_the_default_library_is_in_the_data_folder_of_the_platform():
    folder = default_library()

    assert folder.is_absolute()
    assert folder.is_relative_to(Path.home())  # the tests' own
    assert folder.parts[-2:] == ("abstracts", "library")


def test_every_setting_is_set_by_a_variable_of_its_name(tmp_path):
    settings = load_settings(
        {
            "ABSTRACTS_LIBRARY": str(tmp_path),
            "ABSTRACTS_EMBEDDING": "openai:x",
            "ABSTRACTS_TIMEOUT": "2.5",
            "OPENAI_API_KEY": SECRET,
            "OPENAI_BASE_URL": "http://localhost:1/v1",
            "PATH": "/bin",
        }
    )

    assert settings == Settings(
        library=tmp_path, embedding="openai:x", timeout=2.5, api_key=SECRET, base_url="http://localhost:1/v1"
    )
    assert all(getattr(settings, f.name) != getattr(load_settings({}), f.name) for f in fields(Settings))


def test_the_place_has_what_the_library_needs(tmp_path):
    place = load_settings(
        {"ABSTRACTS_TIMEOUT": "7", "OPENAI_API_KEY": SECRET, "OPENAI_BASE_URL": "http://x"}, library=tmp_path
    ).place

    assert (place.folder, place.embedding) == (tmp_path, None)
    assert (place.endpoint.base_url, place.endpoint.api_key, place.endpoint.timeout) == ("http://x", SECRET, 7.0)


@pytest.mark.parametrize("blank", ["", "  ", "\t"])
def test_an_empty_variable_is_as_good_as_none(blank):
    names = ("ABSTRACTS_LIBRARY", "ABSTRACTS_EMBEDDING", "ABSTRACTS_TIMEOUT", "OPENAI_API_KEY", "OPENAI_BASE_URL", "ABSTRACTS_X")

    assert load_settings(dict.fromkeys(names, blank)) == load_settings({})


def test_a_key_and_an_address_are_taken_without_white_space():
    settings = load_settings({"OPENAI_API_KEY": f" {SECRET}\n", "OPENAI_BASE_URL": " http://x "})

    assert (settings.api_key, settings.base_url) == (SECRET, "http://x")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("ABSTRACTS_LIBARY", "Did you mean ABSTRACTS_LIBRARY?"),
        ("ABSTRACTS_TIME_OUT", "Did you mean ABSTRACTS_TIMEOUT?"),
        ("ABSTRACTS_EMBEDDINGS", "Did you mean ABSTRACTS_EMBEDDING?"),
        ("ABSTRACTS_API_KEY", "There are: ABSTRACTS_LIBRARY, ABSTRACTS_EMBEDDING, ABSTRACTS_TIMEOUT."),
        ("ABSTRACTS_QZX", "There is no setting ABSTRACTS_QZX. There are: "),
        ("ABSTRACTS_", "There are: ABSTRACTS_LIBRARY"),
    ],
)
def test_an_unknown_variable_is_refused_with_the_choices(name, hint):
    with pytest.raises(UsageError) as refused:
        load_settings({name: "x"})

    assert hint in str(refused.value)
    assert "ABSTRACTS_TIMEOUT" in str(refused.value)


def test_variables_of_others_are_none_of_our_business():
    assert load_settings({"ABSTRACT_LIBRARY": "x", "MY_ABSTRACTS_X": "x", "OPENAI_ORGANIZATION": "x"}) == load_settings({})


@pytest.mark.parametrize("text", ["x", "0", "-1", "inf", "nan", "1e999", "60s", "1,5"])
def test_a_timeout_is_a_number_of_seconds(text):
    with pytest.raises(UsageError, match="ABSTRACTS_TIMEOUT is .* must be a number of seconds above 0"):
        load_settings({"ABSTRACTS_TIMEOUT": text})


@pytest.mark.parametrize(("text", "seconds"), [("1", 1.0), ("0.5", 0.5), (" 30 ", 30.0), ("1e2", 100.0)])
def test_a_timeout_may_be_written_in_any_way_of_a_number(text, seconds):
    assert load_settings({"ABSTRACTS_TIMEOUT": text}).timeout == seconds


def test_a_key_is_not_shown():
    settings = load_settings({"OPENAI_API_KEY": SECRET})

    assert settings.api_key == SECRET
    assert SECRET not in repr(settings) + str(settings) + repr(settings.place) + repr(settings.place.endpoint)


def test_the_command_line_goes_before_the_environment(tmp_path):
    environment = {"ABSTRACTS_LIBRARY": str(tmp_path / "environment")}

    assert load_settings(environment).library == tmp_path / "environment"
    assert load_settings(environment, library=tmp_path / "line").library == tmp_path / "line"


@pytest.mark.parametrize("by", ["environment", "line"])
def test_a_tilde_is_the_home_folder_and_a_relative_folder_is_below_the_current_one(by, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def folder(text):
        return load_settings({"ABSTRACTS_LIBRARY": text}) if by == "environment" else load_settings({}, library=Path(text))

    assert folder("~/papers").library == Path.home() / "papers"
    assert folder("papers").library == tmp_path / "papers"


def test_settings_do_not_change():
    with pytest.raises(AttributeError):
        load_settings({}).timeout = 1
