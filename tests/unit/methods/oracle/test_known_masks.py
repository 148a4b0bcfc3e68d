import numpy as np
import torch
from scipy.stats import multivariate_normal, norm

from pdgmm.methods.oracle.known_masks import KnownMaskPrior

MASKS = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 0]])


def test_density_is_that_of_the_active_gaussian_and_narrow_masked_latents():
    torch.manual_seed(0)
    prior = KnownMaskPrior(torch.from_numpy(MASKS), residuals=1)
    with torch.no_grad():
        for parameter in prior.parameters():
            parameter.copy_(0.5 * torch.randn_like(parameter))
    y, component = torch.randn(6, 4), torch.tensor([0, 1, 2, 0, 1, 2])
    found = prior.log_density(y, component, narrowest=0.1).detach().numpy()
    covariance = prior.covariance().detach().double().numpy()
    mean, centre = (getattr(prior, name).detach().double().numpy() for name in ("mean", "centre"))
    width = (0.1 + 0.2 * torch.sigmoid(prior.width_logit)).detach().numpy() * np.sqrt(np.diag(covariance))
    residual = float(prior.residual_log_scale.detach().exp())
    for row, number, value in zip(y.double().numpy(), component, found, strict=True):
        on = MASKS[number].astype(bool)
        expected = multivariate_normal(mean[on], covariance[np.ix_(on, on)]).logpdf(row[:3][on])
        expected += norm(centre, width).logpdf(row[:3])[~on].sum() + norm(0, residual).logpdf(row[3])
        np.testing.assert_allclose(value, expected, rtol=1e-4)
