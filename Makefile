# Every lane of OpenKeel. `make help` lists them.

PROFILE ?= embedded
PYTHON ?= python3
MYSQL ?= mysql+pymysql://root@localhost/?unix_socket=/run/mysqld/mysqld.sock
FUZZ ?= 5000
CLOUD = .venv/bin/keel-cloud
SOURCES = rpc-contract common services dev tests

.DEFAULT_GOAL := help
.PHONY: help venv up down reset status logs test test-mariadb lint format types imports e2e counts bench bench-api bench-volume bench-rpc conformance interop tempest record-check fuzz fuzz-api

help: ## list the lanes
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

venv: ## make or renew the project's environment, .venv
	@$(PYTHON) dev/bootstrap.py

up: venv ## start a whole cloud and do the main job (PROFILE=embedded or services; UP="..." more arguments)
	@$(CLOUD) up --profile $(PROFILE) $(UP)

down: venv ## end what `make up` started; the data stays
	@$(CLOUD) down

reset: venv ## end the cloud and forget its data
	@$(CLOUD) reset

status: venv ## show the processes of the cloud
	@$(CLOUD) status

logs: venv ## show the ends of the logs (SERVICE=name for one)
	@$(CLOUD) logs $(SERVICE)

test: venv ## all tests that need no outside services
	@.venv/bin/python -m pytest -q -n 2 --dist loadfile tests --ignore tests/e2e --ignore tests/interop $(ARGS)

test-mariadb: venv ## the database tests on the local MariaDB, as root through its socket (MYSQL=url for another)
	@KEEL_TEST_MYSQL="$(MYSQL)" .venv/bin/python -m pytest -q tests/contract/test_db_schema.py tests/contract/test_db_mariadb.py tests/contract/test_volume_api_mariadb.py $(ARGS)

fuzz: venv ## the decoders under thousands of broken messages (FUZZ=examples of each test)
	@KEEL_FUZZ=long KEEL_FUZZ_EXAMPLES="$(FUZZ)" .venv/bin/python -m pytest -q tests/fuzz $(ARGS)

fuzz-api: venv ## both APIs under requests made of their OpenAPI documents (FUZZ=examples of each operation)
	@KEEL_FUZZ=long KEEL_FUZZ_EXAMPLES="$(if $(filter file,$(origin FUZZ)),200,$(FUZZ))" .venv/bin/python -m pytest -q -p no:warnings tests/api/openapi/test_fuzzing.py $(ARGS)

e2e: venv ## the end-to-end tests against the running cloud
	@.venv/bin/python -m pytest -v --disable-warnings --durations 10 tests/e2e $(ARGS)

counts: venv ## what operations cost, counted anew into tests/perf/expected; read the difference before you commit it
	@KEEL_COUNTS=write .venv/bin/python -m pytest -q tests/perf
	@git diff --stat -- tests/perf/expected

bench: venv ## costs of operations, lists and processes on this machine (BENCH="--only lists")
	@PYTHONPATH=tests .venv/bin/python -m perf.bench $(BENCH)

bench-api: venv ## our compute API beside the real one, against a running services cloud (BENCH="--rows 1000 --workers 1")
	@PYTHONPATH=tests .venv/bin/python -m bench compute $(BENCH)

bench-volume: venv ## our volume API beside the real one, against a running services cloud (BENCH="--rows 1000 --workers 1")
	@PYTHONPATH=tests .venv/bin/python -m bench volume $(BENCH)

bench-rpc: venv ## a save of a server through our conductor and the real one (KEEL_REFERENCE=python; BENCH="--rounds 5")
	@PYTHONPATH=tests .venv/bin/python -m perf.bench_rpc $(BENCH)

conformance: venv ## replay recorded exchanges (API=compute or volume; SCENARIOS=FILE; REPLAY="--only PATTERN")
	@PYTHONPATH=tests .venv/bin/python -m conformance $(API) $(SCENARIOS) $(REPLAY)

interop: venv ## our services and the real ones in one cloud (CELLS="real-*,all-ours" for some)
	@.venv/bin/python -m pytest -q -W ignore tests/interop --cells "$(or $(CELLS),*)" $(ARGS)

tempest: venv ## Tempest against the services cloud (API=compute or volume; TESTS=regex; COMPUTE=nova; BACKEND=cinder)
	@.venv/bin/python -m keel_dev.tempest --api "$(or $(API),compute)" --tests "$(TESTS)" --compute "$(or $(COMPUTE),kubevirt)" --backend "$(BACKEND)" $(ARGS)

record-check: venv ## record a real release again, compare byte for byte (RELEASE=nova-33; installs it when missing)
	@.venv/bin/python -m keel_dev.record_check $(or $(RELEASE),nova-33)

lint: venv ## ruff: rules and format
	@.venv/bin/ruff check $(SOURCES)
	@.venv/bin/ruff format --check $(SOURCES)

format: venv ## ruff: put into format
	@.venv/bin/ruff format $(SOURCES)

types: venv ## mypy
	@.venv/bin/mypy

imports: venv ## who may import whom (.importlinter)
	@.venv/bin/lint-imports
