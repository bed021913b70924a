CREATE TABLE aggregate_hosts (
  created_at DATETIME,
  updated_at DATETIME,
  id INTEGER NOT NULL,
  host VARCHAR(255),
  aggregate_id INTEGER NOT NULL,
  PRIMARY KEY (id),
  CONSTRAINT uniq_aggregate_hosts0host0aggregate_id UNIQUE (host, aggregate_id),
  FOREIGN KEY(aggregate_id) REFERENCES aggregates (id)
);

CREATE TABLE aggregate_metadata (
  created_at DATETIME,
  updated_at DATETIME,
  id INTEGER NOT NULL,
  aggregate_id INTEGER NOT NULL,
  "key" VARCHAR(255) NOT NULL,
  value VARCHAR(255) NOT NULL,
  PRIMARY KEY (id),
  CONSTRAINT uniq_aggregate_metadata0aggregate_id0key UNIQUE (aggregate_id, "key"),
  FOREIGN KEY(aggregate_id) REFERENCES aggregates (id)
);

CREATE INDEX aggregate_metadata_key_idx ON aggregate_metadata ("key");

CREATE TABLE aggregates (
  created_at DATETIME,
  updated_at DATETIME,
  id INTEGER NOT NULL,
  uuid VARCHAR(36),
  name VARCHAR(255),
  PRIMARY KEY (id),
  CONSTRAINT uniq_aggregate0name UNIQUE (name)
);

CREATE INDEX aggregate_uuid_idx ON aggregates (uuid);

CREATE TABLE alembic_version (
  version_num VARCHAR(32) NOT NULL,
  CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);

CREATE TABLE allocations (
  created_at DATETIME,
  updated_at DATETIME,
  id INTEGER NOT NULL,
  resource_provider_id INTEGER NOT NULL,
  consumer_id VARCHAR(36) NOT NULL,
  resource_class_id INTEGER NOT NULL,
  used INTEGER NOT NULL,
  PRIMARY KEY (id)
);

CREATE INDEX allocations_consumer_id_idx ON allocations (consumer_id);

CREATE INDEX allocations_resource_class_id_idx ON allocations (resource_class_id);

CREATE INDEX allocations_resource_provider_class_used_idx ON allocations (resource_provider_id, resource_class_id, used);

CREATE TABLE "build_requests" (
  created_at DATETIME,
  updated_at DATETIME,
  id INTEGER NOT NULL,
  project_id VARCHAR(255) NOT NULL,
  instance_uuid VARCHAR(36),
  instance TEXT,
  block_device_mappings TEXT,
  tags TEXT,
  PRIMARY KEY (id),
  CONSTRAINT uniq_build_requests0instance_uuid UNIQUE (instance_uuid)
);

CREATE INDEX build_requests_instance_uuid_idx ON build_requests (instance_uuid);

CREATE INDEX build_requests_project_id_idx ON build_requests (project_id);

CREATE TABLE cell_mappings (
  created_at DATETIME,
  updated_at DATETIME,
  id INTEGER NOT NULL,
  uuid VARCHAR(36) NOT NULL,
  name VARCHAR(255),
  transport_url TEXT,
  database_connection TEXT,
  disabled BOOLEAN,
  PRIMARY KEY (id),
  CONSTRAINT uniq_cell_mappings0uuid UNIQUE (uuid)
);

CREATE INDEX uuid_idx ON cell_mappings (uuid);

CREATE TABLE consumers (
  created_at DATETIME,
  updated_at DATETIME,
  id INTEGER NOT NULL,
  uuid VARCHAR(36) NOT NULL,
  project_id INTEGER NOT NULL,
  user_id INTEGER NOT NULL,
  generation INTEGER DEFAULT 0 NOT NULL,
  PRIMARY KEY (id),
  CONSTRAINT uniq_consumers0uuid UNIQUE (uuid)
);

CREATE INDEX consumers_project_id_user_id_uuid_idx ON consumers (project_id, user_id, uuid);

CREATE INDEX consumers_project_id_uuid_idx ON consumers (project_id, uuid);

CREATE TABLE flavor_extra_specs (
  created_at DATETIME,
  updated_at DATETIME,
  id INTEGER NOT NULL,
  flavor_id INTEGER NOT NULL,
  "key" VARCHAR(255) NOT NULL,
  value VARCHAR(255),
  PRIMARY KEY (id),
  CONSTRAINT uniq_flavor_extra_specs0flavor_id0key UNIQUE (flavor_id, "key"),
  FOREIGN KEY(flavor_id) REFERENCES flavors (id)
);

CREATE INDEX flavor_extra_specs_flavor_id_key_idx ON flavor_extra_specs (flavor_id, "key");

CREATE TABLE flavor_projects (
  created_at DATETIME,
  updated_at DATETIME,
  id INTEGER NOT NULL,
  flavor_id INTEGER NOT NULL,
  project_id VARCHAR(255) NOT NULL,
  PRIMARY KEY (id),
  CONSTRAINT uniq_flavor_projects0flavor_id0project_id UNIQUE (flavor_id, project_id),
  FOREIGN KEY(flavor_id) REFERENCES flavors (id)
);

CREATE TABLE flavors (
  created_at DATETIME,
  updated_at DATETIME,
  name VARCHAR(255) NOT NULL,
  id INTEGER NOT NULL,
  memory_mb INTEGER NOT NULL,
  vcpus INTEGER NOT NULL,
  swap INTEGER NOT NULL,
  vcpu_weight INTEGER,
  flavorid VARCHAR(255) NOT NULL,
  rxtx_factor FLOAT,
  root_gb INTEGER,
  ephemeral_gb INTEGER,
  disabled BOOLEAN,
  is_public BOOLEAN,
  description TEXT,
  PRIMARY KEY (id),
  CONSTRAINT uniq_flavors0flavorid UNIQUE (flavorid),
  CONSTRAINT uniq_flavors0name UNIQUE (name)
);

CREATE TABLE host_mappings (
  created_at DATETIME,
  updated_at DATETIME,
  id INTEGER NOT NULL,
  cell_id INTEGER NOT NULL,
  host VARCHAR(255) NOT NULL,
  PRIMARY KEY (id),
  CONSTRAINT uniq_host_mappings0host UNIQUE (host),
  FOREIGN KEY(cell_id) REFERENCES cell_mappings (id)
);

CREATE INDEX host_idx ON host_mappings (host);

CREATE TABLE instance_group_member (
  created_at DATETIME,
  updated_at DATETIME,
  id INTEGER NOT NULL,
  instance_uuid VARCHAR(255),
  group_id INTEGER NOT NULL,
  PRIMARY KEY (id),
  FOREIGN KEY(group_id) REFERENCES instance_groups (id)
);

CREATE INDEX instance_group_member_instance_idx ON instance_group_member (instance_uuid);

CREATE TABLE instance_group_policy (
  created_at DATETIME,
  updated_at DATETIME,
  id INTEGER NOT NULL,
  policy VARCHAR(255),
  group_id INTEGER NOT NULL,
  rules TEXT,
  PRIMARY KEY (id),
  FOREIGN KEY(group_id) REFERENCES instance_groups (id)
);

CREATE INDEX instance_group_policy_policy_idx ON instance_group_policy (policy);

CREATE TABLE instance_groups (
  created_at DATETIME,
  updated_at DATETIME,
  id INTEGER NOT NULL,
  user_id VARCHAR(255),
  project_id VARCHAR(255),
  uuid VARCHAR(36) NOT NULL,
  name VARCHAR(255),
  PRIMARY KEY (id),
  CONSTRAINT uniq_instance_groups0uuid UNIQUE (uuid)
);

CREATE TABLE instance_mappings (
  created_at DATETIME,
  updated_at DATETIME,
  id INTEGER NOT NULL,
  instance_uuid VARCHAR(36) NOT NULL,
  cell_id INTEGER,
  project_id VARCHAR(255) NOT NULL,
  queued_for_delete BOOLEAN,
  user_id VARCHAR(255),
  PRIMARY KEY (id),
  CONSTRAINT uniq_instance_mappings0instance_uuid UNIQUE (instance_uuid),
  FOREIGN KEY(cell_id) REFERENCES cell_mappings (id)
);

CREATE INDEX instance_mappings_user_id_project_id_idx ON instance_mappings (user_id, project_id);

CREATE INDEX instance_uuid_idx ON instance_mappings (instance_uuid);

CREATE INDEX project_id_idx ON instance_mappings (project_id);

CREATE TABLE inventories (
  created_at DATETIME,
  updated_at DATETIME,
  id INTEGER NOT NULL,
  resource_provider_id INTEGER NOT NULL,
  resource_class_id INTEGER NOT NULL,
  total INTEGER NOT NULL,
  reserved INTEGER NOT NULL,
  min_unit INTEGER NOT NULL,
  max_unit INTEGER NOT NULL,
  step_size INTEGER NOT NULL,
  allocation_ratio FLOAT NOT NULL,
  PRIMARY KEY (id),
  CONSTRAINT uniq_inventories0resource_provider_resource_class UNIQUE (resource_provider_id, resource_class_id)
);

CREATE INDEX inventories_resource_class_id_idx ON inventories (resource_class_id);

CREATE INDEX inventories_resource_provider_id_idx ON inventories (resource_provider_id);

CREATE INDEX inventories_resource_provider_resource_class_idx ON inventories (resource_provider_id, resource_class_id);

CREATE TABLE key_pairs (
  created_at DATETIME,
  updated_at DATETIME,
  id INTEGER NOT NULL,
  name VARCHAR(255) NOT NULL,
  user_id VARCHAR(255) NOT NULL,
  fingerprint VARCHAR(255),
  public_key TEXT,
  type VARCHAR(4) DEFAULT 'ssh' NOT NULL,
  PRIMARY KEY (id),
  CONSTRAINT uniq_key_pairs0user_id0name UNIQUE (user_id, name)
);

CREATE TABLE placement_aggregates (
  created_at DATETIME,
  updated_at DATETIME,
  id INTEGER NOT NULL,
  uuid VARCHAR(36),
  PRIMARY KEY (id),
  CONSTRAINT uniq_placement_aggregates0uuid UNIQUE (uuid)
);

CREATE INDEX ix_placement_aggregates_uuid ON placement_aggregates (uuid);

CREATE TABLE project_user_quotas (
  id INTEGER NOT NULL,
  created_at DATETIME,
  updated_at DATETIME,
  user_id VARCHAR(255) NOT NULL,
  project_id VARCHAR(255) NOT NULL,
  resource VARCHAR(255) NOT NULL,
  hard_limit INTEGER,
  PRIMARY KEY (id),
  CONSTRAINT uniq_project_user_quotas0user_id0project_id0resource UNIQUE (user_id, project_id, resource)
);

CREATE INDEX project_user_quotas_project_id_idx ON project_user_quotas (project_id);

CREATE INDEX project_user_quotas_user_id_idx ON project_user_quotas (user_id);

CREATE TABLE projects (
  id INTEGER NOT NULL,
  external_id VARCHAR(255) NOT NULL,
  created_at DATETIME,
  updated_at DATETIME,
  PRIMARY KEY (id),
  CONSTRAINT uniq_projects0external_id UNIQUE (external_id)
);

CREATE TABLE quota_classes (
  created_at DATETIME,
  updated_at DATETIME,
  id INTEGER NOT NULL,
  class_name VARCHAR(255),
  resource VARCHAR(255),
  hard_limit INTEGER,
  PRIMARY KEY (id)
);

CREATE INDEX quota_classes_class_name_idx ON quota_classes (class_name);

CREATE TABLE quota_usages (
  created_at DATETIME,
  updated_at DATETIME,
  id INTEGER NOT NULL,
  project_id VARCHAR(255),
  resource VARCHAR(255) NOT NULL,
  in_use INTEGER NOT NULL,
  reserved INTEGER NOT NULL,
  until_refresh INTEGER,
  user_id VARCHAR(255),
  PRIMARY KEY (id)
);

CREATE INDEX quota_usages_project_id_idx ON quota_usages (project_id);

CREATE INDEX quota_usages_user_id_idx ON quota_usages (user_id);

CREATE TABLE quotas (
  id INTEGER NOT NULL,
  created_at DATETIME,
  updated_at DATETIME,
  project_id VARCHAR(255),
  resource VARCHAR(255) NOT NULL,
  hard_limit INTEGER,
  PRIMARY KEY (id),
  CONSTRAINT uniq_quotas0project_id0resource UNIQUE (project_id, resource)
);

CREATE TABLE request_specs (
  created_at DATETIME,
  updated_at DATETIME,
  id INTEGER NOT NULL,
  instance_uuid VARCHAR(36) NOT NULL,
  spec TEXT NOT NULL,
  PRIMARY KEY (id),
  CONSTRAINT uniq_request_specs0instance_uuid UNIQUE (instance_uuid)
);

CREATE INDEX request_spec_instance_uuid_idx ON request_specs (instance_uuid);

CREATE TABLE reservations (
  created_at DATETIME,
  updated_at DATETIME,
  id INTEGER NOT NULL,
  uuid VARCHAR(36) NOT NULL,
  usage_id INTEGER NOT NULL,
  project_id VARCHAR(255),
  resource VARCHAR(255),
  delta INTEGER NOT NULL,
  expire DATETIME,
  user_id VARCHAR(255),
  PRIMARY KEY (id),
  FOREIGN KEY(usage_id) REFERENCES quota_usages (id)
);

CREATE INDEX reservations_expire_idx ON reservations (expire);

CREATE INDEX reservations_project_id_idx ON reservations (project_id);

CREATE INDEX reservations_user_id_idx ON reservations (user_id);

CREATE INDEX reservations_uuid_idx ON reservations (uuid);

CREATE TABLE resource_classes (
  id INTEGER NOT NULL,
  name VARCHAR(255) NOT NULL,
  created_at DATETIME,
  updated_at DATETIME,
  PRIMARY KEY (id),
  CONSTRAINT uniq_resource_classes0name UNIQUE (name)
);

CREATE TABLE resource_provider_aggregates (
  created_at DATETIME,
  updated_at DATETIME,
  resource_provider_id INTEGER NOT NULL,
  aggregate_id INTEGER NOT NULL,
  PRIMARY KEY (resource_provider_id, aggregate_id)
);

CREATE INDEX resource_provider_aggregates_aggregate_id_idx ON resource_provider_aggregates (aggregate_id);

CREATE TABLE resource_provider_traits (
  created_at DATETIME,
  updated_at DATETIME,
  trait_id INTEGER NOT NULL,
  resource_provider_id INTEGER NOT NULL,
  PRIMARY KEY (trait_id, resource_provider_id),
  FOREIGN KEY(resource_provider_id) REFERENCES resource_providers (id),
  FOREIGN KEY(trait_id) REFERENCES traits (id)
);

CREATE INDEX resource_provider_traits_resource_provider_trait_idx ON resource_provider_traits (resource_provider_id, trait_id);

CREATE TABLE resource_providers (
  created_at DATETIME,
  updated_at DATETIME,
  id INTEGER NOT NULL,
  uuid VARCHAR(36) NOT NULL,
  name VARCHAR(200),
  generation INTEGER,
  can_host INTEGER,
  root_provider_id INTEGER,
  parent_provider_id INTEGER,
  PRIMARY KEY (id),
  CONSTRAINT uniq_resource_providers0uuid UNIQUE (uuid),
  CONSTRAINT uniq_resource_providers0name UNIQUE (name),
  FOREIGN KEY(root_provider_id) REFERENCES resource_providers (id),
  FOREIGN KEY(parent_provider_id) REFERENCES resource_providers (id)
);

CREATE INDEX resource_providers_name_idx ON resource_providers (name);

CREATE INDEX resource_providers_parent_provider_id_idx ON resource_providers (parent_provider_id);

CREATE INDEX resource_providers_root_provider_id_idx ON resource_providers (root_provider_id);

CREATE INDEX resource_providers_uuid_idx ON resource_providers (uuid);

CREATE TABLE traits (
  created_at DATETIME,
  updated_at DATETIME,
  id INTEGER NOT NULL,
  name VARCHAR(255) NOT NULL,
  PRIMARY KEY (id),
  CONSTRAINT uniq_traits0name UNIQUE (name)
);

CREATE TABLE users (
  id INTEGER NOT NULL,
  external_id VARCHAR(255) NOT NULL,
  created_at DATETIME,
  updated_at DATETIME,
  PRIMARY KEY (id),
  CONSTRAINT uniq_users0external_id UNIQUE (external_id)
);
