"""Where a step computes."""


def prepared_device(wanted: str, threads: int) -> str:
    """The device that ``wanted`` (auto, cpu, cuda, mps) means, taken for this process; torch gets ``threads``."""
    from pdgmm.workflow_support.gpu_slots import use_own_device

    if wanted in ("auto", "cuda"):
        use_own_device()  # before torch looks for devices

    import torch

    from pdgmm.fitting.devices import resolve_device

    torch.set_num_threads(threads)
    return resolve_device(wanted)
