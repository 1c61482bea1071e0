"""From a statistic to its p-value, by rearranging the data or by its distribution."""

from typing import Any

from ..data.sampling import as_generator
from ..validation import require_choice
from .rearrangements import null_distribution
from .results import SignificanceTest

CALIBRATIONS = ("permutation", "asymptotic")


def carry_out(
    statistic: Any,
    design: Any,
    hypothesis: str,
    calibration: str,
    options: dict,
    **findings: Any,
) -> Any:
    """Carry out a test.

    Parameters
    ----------
    statistic : callable
        Maps weights [b, r, N] to values [b] that order the evidence; its method
        `reported` turns them into the statistic to show, its method `asymptotic` a
        value into a p-value and degrees of freedom.
    design : Relabellings or SignFlips
        What the hypothesis allows.
    hypothesis : str
        What is tested.
    calibration : {"permutation", "asymptotic"}
        Where the p-value comes from.
    options : dict
        `n_permutations`, `rng`, `alpha` and `progress` of a permutation test.
    **findings
        Further attributes of the result.

    Returns
    -------
    result : SignificanceTest
        Outcome.
    """
    require_choice("calibration", calibration, CALIBRATIONS)
    observed = statistic(design.observed[None])[0]
    if calibration == "asymptotic":
        p_value, dof = statistic.asymptotic(observed)
        findings |= {"p_value": p_value, "dof": dof}
    else:
        options = options | {"rng": as_generator(options["rng"])}
        null = null_distribution(statistic, design, **options)
        findings |= {
            "p_value": null.p_value(observed),
            "n_permutations": len(null.values),
            "exhaustive": null.exhaustive,
            "null_distribution": statistic.reported(null.values),
        }
    return SignificanceTest(
        hypothesis=hypothesis,
        name=statistic.name,
        calibration=calibration,
        statistic=float(statistic.reported(observed)),
        **findings,
    )
