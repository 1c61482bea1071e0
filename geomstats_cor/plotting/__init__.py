"""Pictures of correlation matrices, their geodesics, hyperplanes and regions.

Functions `plot_...` draw with matplotlib: they take `ax=None` and style keywords,
return what they drew, and never show it. The functions beside them return the numbers,
as layers that matplotlib and plotly (`interactive`) draw alike. From a shell:
`python -m geomstats_cor.plotting --help`.
"""

try:
    from .layers import Curves, Markers, Scene, Surface
except ImportError as error:
    raise ImportError(
        "plotting needs matplotlib: pip install 'geomstats-cor[plot]'."
    ) from error

from .animation import animate_geodesic, save_animation
from .clouds import (
    class_markers,
    mean_markers,
    plot_frechet_mean,
    plot_mean_comparison,
    plot_points,
)
from .cone import cone_scene, cone_wire, fibre_surface, plot_cone, plot_fibre
from .elliptope import (
    boundary_surface,
    boundary_wire,
    determinant,
    elliptope_axes,
    entries,
    from_entries,
    plot_elliptope,
)
from .explore import explore_page
from .frames import (
    grid_curves,
    plot_coordinate_grid,
    plot_transported_frame,
    transported_frame,
)
from .geodesics import fan_curves, geodesic_path, plot_geodesic, plot_geodesic_fan
from .hyperplanes import Hyperplane, hyperplane_scenes, plot_hyperplane
from .interactive import interactive_figure
from .level_sets import LevelSet, level_set
from .matrices import plot_entries, plot_film_strip, plot_matrices, plot_matrix
from .palette import METRIC_COLORS, METRIC_MARKERS
from .regions import decision_boundaries, plot_decision_regions
from .spheres import (
    plot_geodesic_ball,
    plot_metric_sphere,
    sphere_surface,
    sphere_wire,
)

__all__ = [
    "plot_elliptope",
    "elliptope_axes",
    "plot_points",
    "plot_frechet_mean",
    "plot_mean_comparison",
    "plot_geodesic",
    "plot_geodesic_fan",
    "plot_geodesic_ball",
    "plot_metric_sphere",
    "plot_transported_frame",
    "plot_coordinate_grid",
    "plot_hyperplane",
    "plot_decision_regions",
    "plot_cone",
    "plot_fibre",
    "plot_matrix",
    "plot_matrices",
    "plot_film_strip",
    "plot_entries",
    "animate_geodesic",
    "save_animation",
    "interactive_figure",
    "explore_page",
    "Hyperplane",
    "hyperplane_scenes",
    "decision_boundaries",
    "level_set",
    "LevelSet",
    "entries",
    "from_entries",
    "determinant",
    "boundary_surface",
    "boundary_wire",
    "class_markers",
    "mean_markers",
    "geodesic_path",
    "fan_curves",
    "sphere_surface",
    "sphere_wire",
    "transported_frame",
    "grid_curves",
    "fibre_surface",
    "cone_wire",
    "cone_scene",
    "Surface",
    "Curves",
    "Markers",
    "Scene",
    "METRIC_COLORS",
    "METRIC_MARKERS",
]
