"""The page in a real browser: it loads, answers its controls, and shows something."""

import numpy as np
import pytest

from geomstats_cor import METRICS, FullRankCorrelationMatrices, plotting
from geomstats_cor.exceptions import ParameterError
from geomstats_cor.plotting.__main__ import main

from .browser import Browser
from .interpreters import require_chromium

VERTICES = "Page.picture.scene.surface.vertices"
# After a change the page computes on a coarse grid, and on a fine one when it rests.
AT_REST = "document.getElementById('stage').ariaBusy === 'false'"


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "explore.html"
    assert main(["explore", "-o", str(path), "--metric", "ecm"]) == 0
    return path


@pytest.fixture(scope="module")
def browser():
    require_chromium()
    with Browser(1280, 800) as browser:
        yield browser


@pytest.fixture
def page(browser, path):
    browser.events.clear()
    browser.resize(1280, 800)
    browser.open(path)
    browser.wait(AT_REST)
    yield browser
    assert browser.complaints() == []


def canvas(page):
    """Return the pixels of the picture alone."""
    box = page.run(
        "document.getElementById('picture').getBoundingClientRect().toJSON()"
    )
    top, left = int(box["top"]), int(box["left"])
    shot = page.screenshot()
    return shot[top : top + int(box["height"]), left : left + int(box["width"])]


def set_slider(page, name, value):
    page.run(
        f"(() => {{ const slider = document.getElementById('{name}');"
        f" slider.value = {value};"
        f" slider.dispatchEvent(new Event('input', {{ bubbles: true }})); }})()"
    )


def test_one_file_without_a_network(path):
    page = path.read_text(encoding="utf-8")
    assert len(page) < 200_000
    for sign in ("http", "src=", "@import", "url(", "{{"):
        assert sign not in page


def test_unknown_metrics_are_refused():
    with pytest.raises(ParameterError, match="'euclid'"):
        plotting.explore_page("euclid")


def test_it_loads_without_complaints_and_without_a_network(page, path):
    assert page.complaints() == []
    assert [url for url in page.requests() if not url.startswith("data:")] == [
        path.as_uri()
    ]


def test_a_screenshot_is_not_blank(page):
    pixels = canvas(page)
    blue = np.all(np.abs(pixels - np.array([0, 114, 178])) < 60, axis=-1)
    assert blue.mean() > 0.03  # the surface has the colour of its metric
    dark = np.all(pixels < 40, axis=-1)
    assert dark.sum() > 300  # the geodesic is black
    assert np.unique(pixels.reshape(-1, 3), axis=0).shape[0] > 100


def test_a_slider_moves_the_surface(page):
    before, picture = page.run(VERTICES), canvas(page)
    set_slider(page, "offset", 0.8)
    page.wait(AT_REST)
    after = np.array(page.run(VERTICES))
    space = FullRankCorrelationMatrices(3, equip="ecm")
    normal = plotting.from_entries([0.9, 0.65, 0.35]) - np.eye(3)
    for offset, vertices in ((0.0, np.array(before)), (0.8, after)):
        plane = plotting.Hyperplane.from_trivialization(space, normal, offset)
        assert np.abs(plane(plotting.from_entries(vertices))).max() < 1e-3
    assert np.any(canvas(page) != picture)


def test_every_slider_changes_the_scene(page):
    scene = "JSON.stringify(Page.picture.scene)"
    names = page.run(
        "[...document.querySelectorAll('input[type=range]')].map((slider) => slider.id)"
    )
    assert len(names) == 11
    before = page.run(scene)
    for k, name in enumerate(names):
        set_slider(page, name, 0.1 + 0.05 * k)
        page.wait(AT_REST)
        after = page.run(scene)
        assert after != before, name
        shown = page.run(f"document.querySelector('output[for={name}]').value")
        assert shown == f"{0.1 + 0.05 * k:.3f}"
        before = after


def test_the_metric_switch_changes_surface_and_geodesic(page):
    seen = []
    for key in METRICS:
        page.run(f"document.querySelector('input[value={key}]').click()")
        page.wait(f"Page.picture.scene.curves[0].name === '{key.upper()} geodesic'")
        page.wait(AT_REST)
        vertices = np.array(page.run(VERTICES))
        middle = page.run("Page.picture.scene.curves[0].points[30]")
        space = FullRankCorrelationMatrices(3, equip=key)
        normal = plotting.from_entries([0.9, 0.65, 0.35]) - np.eye(3)
        plane = plotting.Hyperplane.from_trivialization(space, normal)
        assert np.abs(plane(plotting.from_entries(vertices))).max() < 1e-3
        seen.append(middle)
    assert len(np.unique(np.round(seen, 4), axis=0)) == 5


def test_hovering_shows_the_matrix(page):
    box = page.run(
        "document.getElementById('picture').getBoundingClientRect().toJSON()"
    )
    x, y, _ = page.run("Page.picture.project(Page.picture.scene.points[0].entries)")
    page.hover(box["left"] + x, box["top"] + y)
    page.wait("!document.getElementById('tip').hidden")
    text = page.run("document.getElementById('tip-matrix').innerText")
    found = np.array(text.replace("−", "-").split(), dtype=float).reshape(3, 3)
    wanted = page.run("Geometry.toMatrix(Page.picture.scene.points[0].entries)")
    np.testing.assert_allclose(found, wanted, atol=5e-4)
    page.hover(box["left"] + 3, box["top"] + 3)
    page.wait("document.getElementById('tip').hidden")


def test_controls_are_reached_and_moved_by_the_keyboard(page):
    reached = set()
    page.run("document.activeElement.blur()")
    for _ in range(24):
        page.press("Tab")
        reached.add(
            page.run("document.activeElement.id || document.activeElement.name")
        )
    sliders = page.run(
        "[...document.querySelectorAll('input[type=range]')].map((slider) => slider.id)"
    )
    assert {*sliders, "picture", "metric", "start-over", "show-plane"} <= reached

    page.run("document.getElementById('offset').focus()")
    page.press("ArrowRight", 5)
    assert page.run("document.getElementById('offset').value") == "0.05"

    page.run("document.querySelector('input[name=metric]').focus()")
    page.press("ArrowRight")
    page.wait("Page.picture.scene.curves[0].name === 'LECM geodesic'")

    page.run("document.getElementById('picture').focus()")
    before = canvas(page)
    page.press("ArrowLeft", 4)
    assert page.run("Page.picture.azimuth") == -38
    assert np.any(canvas(page) != before)
    page.press("Home")
    assert page.run("Page.picture.azimuth") == -62


def test_every_control_has_a_label(page):
    unnamed = page.run(
        "[...document.querySelectorAll('input')]"
        ".filter((input) => !input.labels.length || !input.labels[0].innerText.trim())"
        ".map((input) => input.id)"
    )
    assert unnamed == []


@pytest.mark.parametrize(("width", "height"), [(390, 844), (768, 1024), (1440, 900)])
def test_it_fits_phones_and_laptops(page, width, height):
    page.resize(width, height, mobile=width < 500)
    page.wait(f"window.innerWidth === {width}")
    assert page.run("document.documentElement.scrollWidth") <= width
    box = page.run(
        "document.getElementById('picture').getBoundingClientRect().toJSON()"
    )
    assert min(box["width"], box["height"]) >= 300
    page.wait(f"Math.abs(Page.picture.width - {box['width']}) < 1")
    assert canvas(page).std() > 10.0


def test_a_zero_normal_and_a_reset_are_survived(page):
    for axis in "xyz":
        set_slider(page, f"normal-{axis}", 0)
    page.wait("Page.picture.scene.surface === null")
    assert "no hyperplane" in page.run("document.getElementById('side').innerText")
    page.run("document.getElementById('start-over').click()")
    page.wait(AT_REST)
    assert page.run(f"{VERTICES}.length") > 800


@pytest.mark.parametrize("key", METRICS)
def test_the_formula_beside_the_number_gives_the_number(page, key):
    page.run(f"document.querySelector('input[value={key}]').click()")
    set_slider(page, "offset", 0.7)
    page.wait(f"Page.picture.scene.curves[0].name === '{key.upper()} geodesic'")
    page.wait(AT_REST)
    shown = page.run("document.getElementById('side').innerText")
    assert "γ" in shown
    number = float(shown.split(":")[1].split(",")[0].replace("−", "-"))
    space = FullRankCorrelationMatrices(3, equip=key)
    normal = plotting.from_entries([0.9, 0.65, 0.35]) - np.eye(3)
    point = plotting.from_entries(page.run("Page.picture.scene.points[2].entries"))
    if key == "phcm":
        assert "in the Poincaré ball" in shown
        assert "at Exp(γ Z / |Z|)" in shown
        expected = plotting.Hyperplane.from_trivialization(space, normal, 0.7)(point)
    else:
        assert "⟨Log X, Z⟩ / |Z| − γ, with Log and the product at the identity" in shown
        identity, metric = np.eye(3), space.metric
        product = metric.inner_product(metric.log(point, identity), normal, identity)
        expected = product / metric.norm(normal, identity) - 0.7
    assert number == pytest.approx(expected, abs=6e-4)


def test_surfaces_have_the_colours_of_the_library(page):
    for key, color in plotting.METRIC_COLORS.items():
        page.run(f"document.querySelector('input[value={key}]').click()")
        page.wait(f"Page.picture.scene.curves[0].name === '{key.upper()} geodesic'")
        assert page.run("Page.picture.scene.surface.color") == color
