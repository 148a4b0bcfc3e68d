"""Networks that reconstruct images through a code."""

from itertools import pairwise

import torch
from torch import nn

from pdgmm.models.network_model import CodingNetwork

WHITE = 255.0


class ImageNetwork(CodingNetwork):
    """Encodes rows that are images: ``image_shape`` is (height, width, colours), values go from 0 to 255.

    A subclass defines ``features`` (count, code_dim) of images (count, colours, height, width) between 0 and 1, and
    ``drawn``, which turns features into images.
    """

    batch_rows = 250

    def __init__(self, image_shape: list[int]) -> None:
        super().__init__()
        self._shape = tuple(image_shape)

    def images(self, rows: torch.Tensor) -> torch.Tensor:
        """Rows (count, x_dim) as images."""
        images = (rows / WHITE).view(-1, *self._shape).permute(0, 3, 1, 2)
        return images.contiguous(memory_format=torch.channels_last)

    def encode(self, x: torch.Tensor) -> torch.Tensor:
        return self.features(self.images(x))

    def decode(self, code: torch.Tensor) -> torch.Tensor:
        images = self.drawn(code).clamp(0, 1) * WHITE
        return images.permute(0, 2, 3, 1).flatten(1)


class KeypointNetwork(ImageNetwork):
    """Heat maps, the expected places under them, a blob around each place, and the image drawn from the blobs.

    The code is (count, 2 * points): each point's x and then its y in the unit frame. The background is white, so the
    network works on the inverted image, in which the background is 0.
    """

    def __init__(self, image_shape: list[int], points: int, channels: int, blob: float) -> None:
        super().__init__(image_shape)
        height, width, colours = image_shape
        self._blob = blob
        self.find = nn.Sequential(
            *_layer(nn.Conv2d(colours, channels // 2, 5, stride=2, padding=2)),
            *_layer(nn.Conv2d(channels // 2, channels, 3, padding=1)),
            *_layer(nn.Conv2d(channels, channels, 3, padding=1)),
            nn.Conv2d(channels, points, 1),
        )
        self.draw = nn.Sequential(
            *_layer(nn.Conv2d(points, channels, 3, padding=1)),
            *_layer(nn.Conv2d(channels, channels, 3, padding=1)),
            nn.Conv2d(channels, 4 * colours, 3, padding=1),
            nn.PixelShuffle(2),
        )
        self.register_buffer("_across", (torch.arange(width // 2) + 0.5) / (width // 2), persistent=False)
        self.register_buffer("_down", (torch.arange(height // 2) + 0.5) / (height // 2), persistent=False)
        self.to(memory_format=torch.channels_last)

    def features(self, images: torch.Tensor) -> torch.Tensor:
        """The places of the points."""
        heat = self.find(1 - images)
        share = torch.softmax(heat.flatten(2), dim=2).view(heat.shape)
        x = share.sum(2) @ self._across
        y = share.sum(3) @ self._down
        return torch.stack([x, y], dim=2).flatten(1)

    def drawn(self, code: torch.Tensor) -> torch.Tensor:
        """The images drawn from the points."""
        x, y = code.unflatten(1, (-1, 2)).unbind(2)
        along_x = torch.exp(-(self._across - x[..., None]).square() / (2 * self._blob**2))
        along_y = torch.exp(-(self._down - y[..., None]).square() / (2 * self._blob**2))
        blobs = along_y[..., :, None] * along_x[..., None, :]
        return 1 - self.draw(blobs.contiguous(memory_format=torch.channels_last))


class CnnNetwork(ImageNetwork):
    """The autoencoder of Xu, Lachapelle and Magliacane (2026), Table 12: images of 64 x 64; code (count, 128)."""

    def __init__(self, image_shape: list[int]) -> None:
        super().__init__(image_shape)
        colours = image_shape[2]
        widths = (colours, 32, 64, 64, 128, 128)
        down = [
            part
            for before, after, pool in zip(widths, widths[1:], (2, 2, 2, 2, 4), strict=False)
            for part in (nn.Conv2d(before, after, 3, padding=1), nn.ReLU(), nn.MaxPool2d(pool))
        ]
        back = (128, 128, 64, 64, 32)
        up = [
            part
            for before, after in pairwise(back)
            for part in (nn.ConvTranspose2d(before, after, 2, stride=2), nn.ReLU())
        ]
        self.down = nn.Sequential(*down)
        self.up = nn.Sequential(*up, nn.ConvTranspose2d(32, colours, 4, stride=4), nn.Sigmoid())
        self.to(memory_format=torch.channels_last)

    def features(self, images: torch.Tensor) -> torch.Tensor:
        """The 128 numbers of every image."""
        return self.down(images).flatten(1)

    def drawn(self, code: torch.Tensor) -> torch.Tensor:
        """The images drawn from the numbers."""
        return self.up(code[:, :, None, None])


def _layer(convolution: nn.Conv2d) -> tuple[nn.Module, ...]:
    return convolution, nn.BatchNorm2d(convolution.out_channels), nn.ReLU()
