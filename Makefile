# Two commands do everything on a fresh machine: `make run` and `make test`.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CORES ?= $(shell env -u OMP_NUM_THREADS nproc 2>/dev/null || sysctl -n hw.ncpu)
STAMP := $(VENV)/.installed
# One thread per worker: more threads than cores would only wait for each other.
PYTEST := OMP_NUM_THREADS=1 $(BIN)/pytest -n $(CORES) --dist loadfile --no-loadscope-reorder
SNAKEFILES := Snakefile workflow src/pdgmm/workflow_support/study_template/Snakefile
# Python keeps what it compiled: otherwise each of the many processes of a study compiles torch again.
unexport PYTHONDONTWRITEBYTECODE
# Nothing here opens a window.
export SDL_VIDEODRIVER := dummy
export PYGAME_HIDE_SUPPORT_PROMPT := 1

.DEFAULT_GOAL := help
.PHONY: help install run balls report plan dry-run reproduction test browser test-fast test-install test-slurm chaos bench trust noisy-tables readme-table household walk-through scaling lint format docs site clean

help: ## Show this help
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

install: $(STAMP) ## Make .venv and install the exact versions of requirements.lock

$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "$(PYTHON) is too old: Python 3.11 or newer is needed. Choose one with make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)
	@# Bytecode is left to the first import: most of these files are never imported.
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-compile -r requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --editable .
	@# The torch of PyPI for Linux needs CUDA's libraries, a CPU build does not: get them where torch cannot do without.
	@$(BIN)/python -c 'import torch' 2>/dev/null || $(BIN)/pip install --quiet --disable-pip-version-check $$(grep '^torch==' requirements.lock)
	@touch $@

run: install ## Run the default study and write results/report.html
	@PATH="$(abspath $(BIN)):$$PATH" snakemake --cores $(CORES) --logger pdgmm
	@PATH="$(abspath $(BIN)):$$PATH" snakemake --report results/report.html --quiet all
	@echo
	@$(BIN)/pdgmm headline results/tables/table1.csv
	@echo
	@echo "Open results/report.html in a browser: tables, figures and how each was made."
	@echo "Tables as files: results/tables/. The log of every step: results/logs/ and .snakemake/log/"

report: install ## Write results/report.html from finished results (CONFIG=config/cpu.yaml)
	PATH="$(abspath $(BIN)):$$PATH" snakemake --report results/report.html $(if $(CONFIG),--configfile $(CONFIG))

balls: install ## Run the study on images of balls and write results/balls.html
	PATH="$(abspath $(BIN)):$$PATH" snakemake balls --cores $(CORES)
	PATH="$(abspath $(BIN)):$$PATH" snakemake balls --report results/balls.html
	@cat results/tables/balls.md
	@echo "Open results/balls.html in a browser. Figures: results/figures/balls/"

plan: install ## Count the runs and jobs of the default study and of all the paper's tables
	$(BIN)/pdgmm plan --config config/config.yaml
	@echo
	$(BIN)/pdgmm plan --config config/cpu.yaml

dry-run: install ## List the jobs of the default study and run none (CONFIG=config/cpu.yaml)
	PATH="$(abspath $(BIN)):$$PATH" snakemake --cores $(CORES) --dry-run --quiet rules $(if $(CONFIG),--configfile $(CONFIG))

reproduction: install ## Write docs/reproduction.{md,svg,csv} from finished tables (CONFIG=config/cpu.yaml)
	$(BIN)/pdgmm reproduction --config $(or $(CONFIG),config/cpu.yaml) --results results --out docs

test: install lint browser ## Check the style, then run all tests on all cores
	$(PYTEST)

browser: install ## Install Chromium for the tests of the report page (only on Debian, as root, if it is missing)
	@$(BIN)/python tests/browser/get_chromium.py

test-fast: install ## Run the tests that need no workflow and no long training
	$(PYTEST) -m "not slow and not chaos and not install"

test-install: install ## Build the wheel, install it in an empty place and run a study there (minutes)
	OMP_NUM_THREADS=1 $(BIN)/pytest -m install tests/wheel

test-slurm: install ## Run the tiny study on a real Slurm on this machine (needs Debian and root)
	$(BIN)/python tests/slurm/run.py

chaos: install ## Cause failures of every kind and write docs/reliability.md (hours; CHAOS=quick: minutes; ONLY=soak)
	$(BIN)/python tests/chaos/run.py $(if $(filter quick,$(CHAOS)),--quick) $(if $(ONLY),--only "$(ONLY)")

bench: install ## Measure speed and memory, write docs/benchmarks.{csv,md,svg} (BENCH=quick: no long cases; ONLY=jacobians)
	$(BIN)/python benchmarks/run.py $(if $(filter quick,$(BENCH)),--quick) $(if $(ONLY),--section $(ONLY))

scaling: install ## Measure planning, scheduling and start-up, write docs/scaling.md (SCALING=quick: minutes, into results/)
	$(BIN)/python benchmarks/scaling/run.py $(if $(filter quick,$(SCALING)),--quick)

trust: install ## Check on data with known truth what `pdgmm fit` calls trusted, write docs/trust.md (half an hour; TRUST=quick: minutes)
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/trust/run.py $(if $(filter quick,$(TRUST)),--few --out results/trust.md)

readme-table: install ## Write the tables in README.md and docs/estimators-measured.md from docs/reproduction
	$(BIN)/python benchmarks/readme_table.py

household: install ## Find the switches of a made-up household and write docs/household.md from the results (minutes)
	PATH="$(abspath $(BIN)):$$PATH" OMP_NUM_THREADS=1 python benchmarks/household/run.py

noisy-tables: install ## Fit noisy tables, drawn and real, and write docs/noisy-tables.md from the results (minutes)
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/noisy_tables/run.py

walk-through: install ## Fit handwritten digits and write docs/walk-through.md from the results (minutes)
	PATH="$(abspath $(BIN)):$$PATH" OMP_NUM_THREADS=1 python benchmarks/walk_through/run.py

lint: install ## Check the style, the types of the public modules, and the workflow
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check $(SNAKEFILES)
	@# Two at once: each takes seconds and one core.
	PATH="$(abspath $(BIN)):$$PATH" snakemake --lint & linted=$$!; $(BIN)/mypy && wait $$linted

format: install ## Rewrite the code in the project's style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/snakefmt $(SNAKEFILES)

docs: install ## Rewrite the generated config reference and schema
	$(BIN)/pdgmm config-reference > config/README.md
	$(BIN)/pdgmm schema > workflow/schemas/config.schema.json

site: install ## Build the documentation into site/ (open site/index.html); warnings are errors
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

clean: ## Remove generated datasets and results, without asking
	rm -rf .snakemake datasets/* results/*
