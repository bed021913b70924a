CREATE TABLE agent_builds (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  hypervisor VARCHAR(255),
  os VARCHAR(255),
  architecture VARCHAR(255),
  version VARCHAR(255),
  url VARCHAR(255),
  md5hash VARCHAR(255),
  deleted INTEGER,
  PRIMARY KEY (id),
  CONSTRAINT uniq_agent_builds0hypervisor0os0architecture0deleted UNIQUE (hypervisor, os, architecture, deleted)
);

CREATE INDEX agent_builds_hypervisor_os_arch_idx ON agent_builds (hypervisor, os, architecture);

CREATE TABLE aggregate_hosts (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  host VARCHAR(255),
  aggregate_id INTEGER NOT NULL,
  deleted INTEGER,
  PRIMARY KEY (id),
  CONSTRAINT uniq_aggregate_hosts0host0aggregate_id0deleted UNIQUE (host, aggregate_id, deleted),
  FOREIGN KEY(aggregate_id) REFERENCES aggregates (id)
);

CREATE TABLE aggregate_metadata (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  aggregate_id INTEGER NOT NULL,
  "key" VARCHAR(255) NOT NULL,
  value VARCHAR(255) NOT NULL,
  deleted INTEGER,
  PRIMARY KEY (id),
  CONSTRAINT uniq_aggregate_metadata0aggregate_id0key0deleted UNIQUE (aggregate_id, "key", deleted),
  FOREIGN KEY(aggregate_id) REFERENCES aggregates (id)
);

CREATE INDEX aggregate_metadata_key_idx ON aggregate_metadata ("key");

CREATE INDEX aggregate_metadata_value_idx ON aggregate_metadata (value);

CREATE TABLE aggregates (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  name VARCHAR(255),
  deleted INTEGER,
  uuid VARCHAR(36),
  PRIMARY KEY (id)
);

CREATE INDEX aggregate_uuid_idx ON aggregates (uuid);

CREATE TABLE alembic_version (
  version_num VARCHAR(32) NOT NULL,
  CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);

CREATE TABLE allocations (
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

CREATE TABLE block_device_mapping (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  device_name VARCHAR(255),
  delete_on_termination BOOLEAN,
  snapshot_id VARCHAR(36),
  volume_id VARCHAR(36),
  volume_size INTEGER,
  no_device BOOLEAN,
  connection_info TEXT,
  instance_uuid VARCHAR(36),
  deleted INTEGER,
  source_type VARCHAR(255),
  destination_type VARCHAR(255),
  guest_format VARCHAR(255),
  device_type VARCHAR(255),
  disk_bus VARCHAR(255),
  boot_index INTEGER,
  image_id VARCHAR(36),
  tag VARCHAR(255),
  attachment_id VARCHAR(36),
  uuid VARCHAR(36),
  volume_type VARCHAR(255), encrypted BOOLEAN, encryption_secret_uuid VARCHAR(36), encryption_format VARCHAR(128), encryption_options VARCHAR(4096),
  PRIMARY KEY (id),
  CONSTRAINT uniq_block_device_mapping0uuid UNIQUE (uuid),
  CONSTRAINT block_device_mapping_instance_uuid_fkey FOREIGN KEY(instance_uuid) REFERENCES instances (uuid)
);

CREATE INDEX block_device_mapping_instance_uuid_device_name_idx ON block_device_mapping (instance_uuid, device_name);

CREATE INDEX block_device_mapping_instance_uuid_idx ON block_device_mapping (instance_uuid);

CREATE INDEX block_device_mapping_instance_uuid_volume_id_idx ON block_device_mapping (instance_uuid, volume_id);

CREATE INDEX snapshot_id ON block_device_mapping (snapshot_id);

CREATE INDEX volume_id ON block_device_mapping (volume_id);

CREATE TABLE bw_usage_cache (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  start_period DATETIME NOT NULL,
  last_refreshed DATETIME,
  bw_in BIGINT,
  bw_out BIGINT,
  mac VARCHAR(255),
  uuid VARCHAR(36),
  last_ctr_in BIGINT,
  last_ctr_out BIGINT,
  deleted INTEGER,
  PRIMARY KEY (id)
);

CREATE INDEX bw_usage_cache_uuid_start_period_idx ON bw_usage_cache (uuid, start_period);

CREATE TABLE cells (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  api_url VARCHAR(255),
  weight_offset FLOAT,
  weight_scale FLOAT,
  name VARCHAR(255),
  is_parent BOOLEAN,
  deleted INTEGER,
  transport_url VARCHAR(255) NOT NULL,
  PRIMARY KEY (id),
  CONSTRAINT uniq_cells0name0deleted UNIQUE (name, deleted)
);

CREATE TABLE certificates (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  user_id VARCHAR(255),
  project_id VARCHAR(255),
  file_name VARCHAR(255),
  deleted INTEGER,
  PRIMARY KEY (id)
);

CREATE INDEX certificates_project_id_deleted_idx ON certificates (project_id, deleted);

CREATE INDEX certificates_user_id_deleted_idx ON certificates (user_id, deleted);

CREATE TABLE compute_nodes (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  service_id INTEGER,
  vcpus INTEGER NOT NULL,
  memory_mb INTEGER NOT NULL,
  local_gb INTEGER NOT NULL,
  vcpus_used INTEGER NOT NULL,
  memory_mb_used INTEGER NOT NULL,
  local_gb_used INTEGER NOT NULL,
  hypervisor_type TEXT NOT NULL,
  hypervisor_version INTEGER NOT NULL,
  cpu_info TEXT NOT NULL,
  disk_available_least INTEGER,
  free_ram_mb INTEGER,
  free_disk_gb INTEGER,
  current_workload INTEGER,
  running_vms INTEGER,
  hypervisor_hostname VARCHAR(255),
  deleted INTEGER,
  host_ip VARCHAR(39),
  supported_instances TEXT,
  pci_stats TEXT,
  metrics TEXT,
  extra_resources TEXT,
  stats TEXT,
  numa_topology TEXT,
  host VARCHAR(255),
  ram_allocation_ratio FLOAT,
  cpu_allocation_ratio FLOAT,
  uuid VARCHAR(36),
  disk_allocation_ratio FLOAT,
  mapped INTEGER,
  PRIMARY KEY (id),
  CONSTRAINT uniq_compute_nodes0host0hypervisor_hostname0deleted UNIQUE (host, hypervisor_hostname, deleted)
);

CREATE UNIQUE INDEX compute_nodes_uuid_idx ON compute_nodes (uuid);

CREATE TABLE console_auth_tokens (
  created_at DATETIME,
  updated_at DATETIME,
  id INTEGER NOT NULL,
  token_hash VARCHAR(255) NOT NULL,
  console_type VARCHAR(255) NOT NULL,
  host VARCHAR(255) NOT NULL,
  port INTEGER NOT NULL,
  internal_access_path VARCHAR(255),
  instance_uuid VARCHAR(36) NOT NULL,
  expires INTEGER NOT NULL,
  access_url_base VARCHAR(255), tls_port INTEGER,
  PRIMARY KEY (id),
  CONSTRAINT uniq_console_auth_tokens0token_hash UNIQUE (token_hash)
);

CREATE INDEX console_auth_tokens_host_expires_idx ON console_auth_tokens (host, expires);

CREATE INDEX console_auth_tokens_instance_uuid_idx ON console_auth_tokens (instance_uuid);

CREATE INDEX console_auth_tokens_token_hash_instance_uuid_idx ON console_auth_tokens (token_hash, instance_uuid);

CREATE TABLE console_pools (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  address VARCHAR(39),
  username VARCHAR(255),
  password VARCHAR(255),
  console_type VARCHAR(255),
  public_hostname VARCHAR(255),
  host VARCHAR(255),
  compute_host VARCHAR(255),
  deleted INTEGER,
  PRIMARY KEY (id),
  CONSTRAINT uniq_console_pools0host0console_type0compute_host0deleted UNIQUE (host, console_type, compute_host, deleted)
);

CREATE TABLE consoles (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  instance_name VARCHAR(255),
  password VARCHAR(255),
  port INTEGER,
  pool_id INTEGER,
  instance_uuid VARCHAR(36),
  deleted INTEGER,
  PRIMARY KEY (id),
  FOREIGN KEY(pool_id) REFERENCES console_pools (id),
  CONSTRAINT consoles_instance_uuid_fkey FOREIGN KEY(instance_uuid) REFERENCES instances (uuid)
);

CREATE INDEX consoles_instance_uuid_idx ON consoles (instance_uuid);

CREATE TABLE dns_domains (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  deleted BOOLEAN,
  domain VARCHAR(255) NOT NULL,
  scope VARCHAR(255),
  availability_zone VARCHAR(255),
  project_id VARCHAR(255),
  PRIMARY KEY (domain)
);

CREATE INDEX dns_domains_domain_deleted_idx ON dns_domains (domain, deleted);

CREATE INDEX dns_domains_project_id_idx ON dns_domains (project_id);

CREATE TABLE fixed_ips (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  address VARCHAR(39),
  network_id INTEGER,
  allocated BOOLEAN,
  leased BOOLEAN,
  reserved BOOLEAN,
  virtual_interface_id INTEGER,
  host VARCHAR(255),
  instance_uuid VARCHAR(36),
  deleted INTEGER,
  PRIMARY KEY (id),
  CONSTRAINT uniq_fixed_ips0address0deleted UNIQUE (address, deleted),
  CONSTRAINT fixed_ips_instance_uuid_fkey FOREIGN KEY(instance_uuid) REFERENCES instances (uuid)
);

CREATE INDEX address ON fixed_ips (address);

CREATE INDEX fixed_ips_address_reserved_network_id_deleted_idx ON fixed_ips (address, reserved, network_id, deleted);

CREATE INDEX fixed_ips_deleted_allocated_idx ON fixed_ips (address, deleted, allocated);

CREATE INDEX fixed_ips_deleted_allocated_updated_at_idx ON fixed_ips (deleted, allocated, updated_at);

CREATE INDEX fixed_ips_host_idx ON fixed_ips (host);

CREATE INDEX fixed_ips_instance_uuid_fkey ON fixed_ips (instance_uuid);

CREATE INDEX fixed_ips_network_id_host_deleted_idx ON fixed_ips (network_id, host, deleted);

CREATE INDEX fixed_ips_virtual_interface_id_fkey ON fixed_ips (virtual_interface_id);

CREATE INDEX network_id ON fixed_ips (network_id);

CREATE TABLE floating_ips (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  address VARCHAR(39),
  fixed_ip_id INTEGER,
  project_id VARCHAR(255),
  host VARCHAR(255),
  auto_assigned BOOLEAN,
  pool VARCHAR(255),
  interface VARCHAR(255),
  deleted INTEGER,
  PRIMARY KEY (id),
  CONSTRAINT uniq_floating_ips0address0deleted UNIQUE (address, deleted)
);

CREATE INDEX fixed_ip_id ON floating_ips (fixed_ip_id);

CREATE INDEX floating_ips_host_idx ON floating_ips (host);

CREATE INDEX floating_ips_pool_deleted_fixed_ip_id_project_id_idx ON floating_ips (pool, deleted, fixed_ip_id, project_id);

CREATE INDEX floating_ips_project_id_idx ON floating_ips (project_id);

CREATE TABLE instance_actions (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  action VARCHAR(255),
  instance_uuid VARCHAR(36),
  request_id VARCHAR(255),
  user_id VARCHAR(255),
  project_id VARCHAR(255),
  start_time DATETIME,
  finish_time DATETIME,
  message VARCHAR(255),
  deleted INTEGER,
  PRIMARY KEY (id),
  CONSTRAINT fk_instance_actions_instance_uuid FOREIGN KEY(instance_uuid) REFERENCES instances (uuid)
);

CREATE INDEX instance_actions_instance_uuid_updated_at_idx ON instance_actions (instance_uuid, updated_at);

CREATE INDEX instance_uuid_idx ON instance_actions (instance_uuid);

CREATE INDEX request_id_idx ON instance_actions (request_id);

CREATE TABLE instance_actions_events (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  event VARCHAR(255),
  action_id INTEGER,
  start_time DATETIME,
  finish_time DATETIME,
  result VARCHAR(255),
  traceback TEXT,
  deleted INTEGER,
  host VARCHAR(255),
  details TEXT,
  PRIMARY KEY (id),
  FOREIGN KEY(action_id) REFERENCES instance_actions (id)
);

CREATE TABLE instance_extra (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  deleted INTEGER,
  id INTEGER NOT NULL,
  instance_uuid VARCHAR(36) NOT NULL,
  numa_topology TEXT,
  pci_requests TEXT,
  flavor TEXT,
  vcpu_model TEXT,
  migration_context TEXT,
  keypairs TEXT,
  device_metadata TEXT,
  trusted_certs TEXT,
  vpmems TEXT,
  resources TEXT,
  PRIMARY KEY (id),
  CONSTRAINT instance_extra_instance_uuid_fkey FOREIGN KEY(instance_uuid) REFERENCES instances (uuid)
);

CREATE INDEX instance_extra_idx ON instance_extra (instance_uuid);

CREATE TABLE instance_faults (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  instance_uuid VARCHAR(36),
  code INTEGER NOT NULL,
  message VARCHAR(255),
  details TEXT,
  host VARCHAR(255),
  deleted INTEGER,
  PRIMARY KEY (id),
  CONSTRAINT fk_instance_faults_instance_uuid FOREIGN KEY(instance_uuid) REFERENCES instances (uuid)
);

CREATE INDEX instance_faults_host_idx ON instance_faults (host);

CREATE INDEX instance_faults_instance_uuid_deleted_created_at_idx ON instance_faults (instance_uuid, deleted, created_at);

CREATE TABLE instance_group_member (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  deleted INTEGER,
  id INTEGER NOT NULL,
  instance_id VARCHAR(255),
  group_id INTEGER NOT NULL,
  PRIMARY KEY (id),
  FOREIGN KEY(group_id) REFERENCES instance_groups (id)
);

CREATE INDEX instance_group_member_instance_idx ON instance_group_member (instance_id);

CREATE TABLE instance_group_policy (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  deleted INTEGER,
  id INTEGER NOT NULL,
  policy VARCHAR(255),
  group_id INTEGER NOT NULL,
  PRIMARY KEY (id),
  FOREIGN KEY(group_id) REFERENCES instance_groups (id)
);

CREATE INDEX instance_group_policy_policy_idx ON instance_group_policy (policy);

CREATE TABLE instance_groups (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  deleted INTEGER,
  id INTEGER NOT NULL,
  user_id VARCHAR(255),
  project_id VARCHAR(255),
  uuid VARCHAR(36) NOT NULL,
  name VARCHAR(255),
  PRIMARY KEY (id),
  CONSTRAINT uniq_instance_groups0uuid0deleted UNIQUE (uuid, deleted)
);

CREATE TABLE instance_id_mappings (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  uuid VARCHAR(36) NOT NULL,
  deleted INTEGER,
  PRIMARY KEY (id)
);

CREATE INDEX ix_instance_id_mappings_uuid ON instance_id_mappings (uuid);

CREATE TABLE instance_info_caches (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  network_info TEXT,
  instance_uuid VARCHAR(36) NOT NULL,
  deleted INTEGER,
  PRIMARY KEY (id),
  CONSTRAINT uniq_instance_info_caches0instance_uuid UNIQUE (instance_uuid),
  CONSTRAINT instance_info_caches_instance_uuid_fkey FOREIGN KEY(instance_uuid) REFERENCES instances (uuid)
);

CREATE TABLE instance_metadata (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  "key" VARCHAR(255),
  value VARCHAR(255),
  instance_uuid VARCHAR(36),
  deleted INTEGER,
  PRIMARY KEY (id),
  CONSTRAINT instance_metadata_instance_uuid_fkey FOREIGN KEY(instance_uuid) REFERENCES instances (uuid)
);

CREATE INDEX instance_metadata_instance_uuid_idx ON instance_metadata (instance_uuid);

CREATE TABLE instance_system_metadata (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  instance_uuid VARCHAR(36) NOT NULL,
  "key" VARCHAR(255) NOT NULL,
  value VARCHAR(255),
  deleted INTEGER,
  PRIMARY KEY (id),
  CONSTRAINT instance_system_metadata_ibfk_1 FOREIGN KEY(instance_uuid) REFERENCES instances (uuid)
);

CREATE INDEX instance_uuid ON instance_system_metadata (instance_uuid);

CREATE TABLE instance_type_extra_specs (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  instance_type_id INTEGER NOT NULL,
  "key" VARCHAR(255),
  value VARCHAR(255),
  deleted INTEGER,
  PRIMARY KEY (id),
  CONSTRAINT uniq_instance_type_extra_specs0instance_type_id0key0deleted UNIQUE (instance_type_id, "key", deleted),
  FOREIGN KEY(instance_type_id) REFERENCES instance_types (id)
);

CREATE INDEX instance_type_extra_specs_instance_type_id_key_idx ON instance_type_extra_specs (instance_type_id, "key");

CREATE TABLE instance_type_projects (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  instance_type_id INTEGER NOT NULL,
  project_id VARCHAR(255),
  deleted INTEGER,
  PRIMARY KEY (id),
  CONSTRAINT uniq_instance_type_projects0instance_type_id0project_id0deleted UNIQUE (instance_type_id, project_id, deleted),
  CONSTRAINT instance_type_projects_ibfk_1 FOREIGN KEY(instance_type_id) REFERENCES instance_types (id)
);

CREATE TABLE instance_types (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  name VARCHAR(255),
  id INTEGER NOT NULL,
  memory_mb INTEGER NOT NULL,
  vcpus INTEGER NOT NULL,
  swap INTEGER NOT NULL,
  vcpu_weight INTEGER,
  flavorid VARCHAR(255),
  rxtx_factor FLOAT,
  root_gb INTEGER,
  ephemeral_gb INTEGER,
  disabled BOOLEAN,
  is_public BOOLEAN,
  deleted INTEGER,
  PRIMARY KEY (id),
  CONSTRAINT uniq_instance_types0name0deleted UNIQUE (name, deleted),
  CONSTRAINT uniq_instance_types0flavorid0deleted UNIQUE (flavorid, deleted)
);

CREATE TABLE instances (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  internal_id INTEGER,
  user_id VARCHAR(255),
  project_id VARCHAR(255),
  image_ref VARCHAR(255),
  kernel_id VARCHAR(255),
  ramdisk_id VARCHAR(255),
  launch_index INTEGER,
  key_name VARCHAR(255),
  key_data TEXT,
  power_state INTEGER,
  vm_state VARCHAR(255),
  memory_mb INTEGER,
  vcpus INTEGER,
  hostname VARCHAR(255),
  host VARCHAR(255),
  user_data TEXT,
  reservation_id VARCHAR(255),
  launched_at DATETIME,
  terminated_at DATETIME,
  display_name VARCHAR(255),
  display_description VARCHAR(255),
  availability_zone VARCHAR(255),
  locked BOOLEAN,
  os_type VARCHAR(255),
  launched_on TEXT,
  instance_type_id INTEGER,
  vm_mode VARCHAR(255),
  uuid VARCHAR(36) NOT NULL,
  architecture VARCHAR(255),
  root_device_name VARCHAR(255),
  access_ip_v4 VARCHAR(39),
  access_ip_v6 VARCHAR(39),
  config_drive VARCHAR(255),
  task_state VARCHAR(255),
  default_ephemeral_device VARCHAR(255),
  default_swap_device VARCHAR(255),
  progress INTEGER,
  auto_disk_config BOOLEAN,
  shutdown_terminate BOOLEAN,
  disable_terminate BOOLEAN,
  root_gb INTEGER,
  ephemeral_gb INTEGER,
  cell_name VARCHAR(255),
  node VARCHAR(255),
  deleted INTEGER,
  locked_by VARCHAR(5),
  cleaned INTEGER,
  ephemeral_key_uuid VARCHAR(36),
  hidden BOOLEAN, compute_id BIGINT,
  PRIMARY KEY (id),
  CONSTRAINT uniq_instances0uuid UNIQUE (uuid)
);

CREATE INDEX instances_compute_id_deleted_idx ON instances (compute_id, deleted);

CREATE INDEX instances_deleted_created_at_idx ON instances (deleted, created_at);

CREATE INDEX instances_host_deleted_cleaned_idx ON instances (host, deleted, cleaned);

CREATE INDEX instances_host_node_deleted_idx ON instances (host, node, deleted);

CREATE INDEX instances_project_id_deleted_idx ON instances (project_id, deleted);

CREATE INDEX instances_project_id_idx ON instances (project_id);

CREATE INDEX instances_reservation_id_idx ON instances (reservation_id);

CREATE INDEX instances_task_state_updated_at_idx ON instances (task_state, updated_at);

CREATE INDEX instances_terminated_at_launched_at_idx ON instances (terminated_at, launched_at);

CREATE INDEX instances_updated_at_project_id_idx ON instances (updated_at, project_id);

CREATE INDEX instances_uuid_deleted_idx ON instances (uuid, deleted);

CREATE TABLE inventories (
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
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  name VARCHAR(255) NOT NULL,
  user_id VARCHAR(255),
  fingerprint VARCHAR(255),
  public_key TEXT,
  deleted INTEGER,
  type VARCHAR(4) DEFAULT 'ssh' NOT NULL,
  PRIMARY KEY (id),
  CONSTRAINT uniq_key_pairs0user_id0name0deleted UNIQUE (user_id, name, deleted)
);

CREATE TABLE migrations (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  source_compute VARCHAR(255),
  dest_compute VARCHAR(255),
  dest_host VARCHAR(255),
  status VARCHAR(255),
  instance_uuid VARCHAR(36),
  old_instance_type_id INTEGER,
  new_instance_type_id INTEGER,
  source_node VARCHAR(255),
  dest_node VARCHAR(255),
  deleted INTEGER,
  migration_type VARCHAR(14),
  hidden BOOLEAN,
  memory_total BIGINT,
  memory_processed BIGINT,
  memory_remaining BIGINT,
  disk_total BIGINT,
  disk_processed BIGINT,
  disk_remaining BIGINT,
  uuid VARCHAR(36),
  cross_cell_move BOOLEAN,
  user_id VARCHAR(255),
  project_id VARCHAR(255), dest_compute_id BIGINT,
  PRIMARY KEY (id),
  CONSTRAINT fk_migrations_instance_uuid FOREIGN KEY(instance_uuid) REFERENCES instances (uuid)
);

CREATE INDEX migrations_by_dest_host_nodes_and_status_idx ON migrations (deleted, dest_compute, dest_node, status);

CREATE INDEX migrations_by_host_nodes_and_status_idx ON migrations (deleted, source_compute, dest_compute, source_node, dest_node, status);

CREATE INDEX migrations_by_src_host_nodes_and_status_idx ON migrations (deleted, source_compute, source_node, status);

CREATE INDEX migrations_dest_compute_id_deleted_idx ON migrations (dest_compute_id, deleted);

CREATE INDEX migrations_instance_uuid_and_status_idx ON migrations (deleted, instance_uuid, status);

CREATE INDEX migrations_updated_at_idx ON migrations (updated_at);

CREATE UNIQUE INDEX migrations_uuid ON migrations (uuid);

CREATE TABLE networks (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  injected BOOLEAN,
  cidr VARCHAR(43),
  netmask VARCHAR(39),
  bridge VARCHAR(255),
  gateway VARCHAR(39),
  broadcast VARCHAR(39),
  dns1 VARCHAR(39),
  vlan INTEGER,
  vpn_public_address VARCHAR(39),
  vpn_public_port INTEGER,
  vpn_private_address VARCHAR(39),
  dhcp_start VARCHAR(39),
  project_id VARCHAR(255),
  host VARCHAR(255),
  cidr_v6 VARCHAR(43),
  gateway_v6 VARCHAR(39),
  label VARCHAR(255),
  netmask_v6 VARCHAR(39),
  bridge_interface VARCHAR(255),
  multi_host BOOLEAN,
  dns2 VARCHAR(39),
  uuid VARCHAR(36),
  priority INTEGER,
  rxtx_base INTEGER,
  deleted INTEGER,
  mtu INTEGER,
  dhcp_server VARCHAR(39),
  enable_dhcp BOOLEAN,
  share_address BOOLEAN,
  PRIMARY KEY (id),
  CONSTRAINT uniq_networks0vlan0deleted UNIQUE (vlan, deleted)
);

CREATE INDEX networks_bridge_deleted_idx ON networks (bridge, deleted);

CREATE INDEX networks_cidr_v6_idx ON networks (cidr_v6);

CREATE INDEX networks_host_idx ON networks (host);

CREATE INDEX networks_project_id_deleted_idx ON networks (project_id, deleted);

CREATE INDEX networks_uuid_project_id_deleted_idx ON networks (uuid, project_id, deleted);

CREATE INDEX networks_vlan_deleted_idx ON networks (vlan, deleted);

CREATE TABLE pci_devices (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  deleted INTEGER,
  id INTEGER NOT NULL,
  compute_node_id INTEGER NOT NULL,
  address VARCHAR(12) NOT NULL,
  product_id VARCHAR(4) NOT NULL,
  vendor_id VARCHAR(4) NOT NULL,
  dev_type VARCHAR(8) NOT NULL,
  dev_id VARCHAR(255),
  label VARCHAR(255) NOT NULL,
  status VARCHAR(36) NOT NULL,
  extra_info TEXT,
  instance_uuid VARCHAR(36),
  request_id VARCHAR(36),
  numa_node INTEGER,
  parent_addr VARCHAR(12),
  uuid VARCHAR(36),
  PRIMARY KEY (id),
  CONSTRAINT uniq_pci_devices0compute_node_id0address0deleted UNIQUE (compute_node_id, address, deleted),
  CONSTRAINT pci_devices_compute_node_id_fkey FOREIGN KEY(compute_node_id) REFERENCES compute_nodes (id)
);

CREATE INDEX ix_pci_devices_compute_node_id_deleted ON pci_devices (compute_node_id, deleted);

CREATE INDEX ix_pci_devices_compute_node_id_parent_addr_deleted ON pci_devices (compute_node_id, parent_addr, deleted);

CREATE INDEX ix_pci_devices_instance_uuid_deleted ON pci_devices (instance_uuid, deleted);

CREATE TABLE project_user_quotas (
  id INTEGER NOT NULL,
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  deleted INTEGER,
  user_id VARCHAR(255) NOT NULL,
  project_id VARCHAR(255) NOT NULL,
  resource VARCHAR(255) NOT NULL,
  hard_limit INTEGER,
  PRIMARY KEY (id),
  CONSTRAINT uniq_project_user_quotas0user_id0project_id0resource0deleted UNIQUE (user_id, project_id, resource, deleted)
);

CREATE INDEX project_user_quotas_project_id_deleted_idx ON project_user_quotas (project_id, deleted);

CREATE INDEX project_user_quotas_user_id_deleted_idx ON project_user_quotas (user_id, deleted);

CREATE TABLE provider_fw_rules (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  protocol VARCHAR(5),
  from_port INTEGER,
  to_port INTEGER,
  cidr VARCHAR(43),
  deleted INTEGER,
  PRIMARY KEY (id)
);

CREATE TABLE quota_classes (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  class_name VARCHAR(255),
  resource VARCHAR(255),
  hard_limit INTEGER,
  deleted INTEGER,
  PRIMARY KEY (id)
);

CREATE INDEX ix_quota_classes_class_name ON quota_classes (class_name);

CREATE TABLE quota_usages (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  project_id VARCHAR(255),
  resource VARCHAR(255) NOT NULL,
  in_use INTEGER NOT NULL,
  reserved INTEGER NOT NULL,
  until_refresh INTEGER,
  deleted INTEGER,
  user_id VARCHAR(255),
  PRIMARY KEY (id)
);

CREATE INDEX ix_quota_usages_project_id ON quota_usages (project_id);

CREATE INDEX ix_quota_usages_user_id_deleted ON quota_usages (user_id, deleted);

CREATE TABLE quotas (
  id INTEGER NOT NULL,
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  project_id VARCHAR(255),
  resource VARCHAR(255) NOT NULL,
  hard_limit INTEGER,
  deleted INTEGER,
  PRIMARY KEY (id),
  CONSTRAINT uniq_quotas0project_id0resource0deleted UNIQUE (project_id, resource, deleted)
);

CREATE TABLE reservations (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  uuid VARCHAR(36) NOT NULL,
  usage_id INTEGER NOT NULL,
  project_id VARCHAR(255),
  resource VARCHAR(255),
  delta INTEGER NOT NULL,
  expire DATETIME,
  deleted INTEGER,
  user_id VARCHAR(255),
  PRIMARY KEY (id),
  CONSTRAINT reservations_ibfk_1 FOREIGN KEY(usage_id) REFERENCES quota_usages (id)
);

CREATE INDEX ix_reservations_project_id ON reservations (project_id);

CREATE INDEX ix_reservations_user_id_deleted ON reservations (user_id, deleted);

CREATE INDEX reservations_deleted_expire_idx ON reservations (deleted, expire);

CREATE INDEX reservations_uuid_idx ON reservations (uuid);

CREATE TABLE resource_provider_aggregates (
  resource_provider_id INTEGER NOT NULL,
  aggregate_id INTEGER NOT NULL,
  PRIMARY KEY (resource_provider_id, aggregate_id)
);

CREATE INDEX resource_provider_aggregates_aggregate_id_idx ON resource_provider_aggregates (aggregate_id);

CREATE TABLE resource_providers (
  id INTEGER NOT NULL,
  uuid VARCHAR(36) NOT NULL,
  name VARCHAR(200),
  generation INTEGER,
  can_host INTEGER,
  PRIMARY KEY (id),
  CONSTRAINT uniq_resource_providers0uuid UNIQUE (uuid),
  CONSTRAINT uniq_resource_providers0name UNIQUE (name)
);

CREATE INDEX resource_providers_name_idx ON resource_providers (name);

CREATE INDEX resource_providers_uuid_idx ON resource_providers (uuid);

CREATE TABLE s3_images (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  uuid VARCHAR(36) NOT NULL,
  deleted INTEGER,
  PRIMARY KEY (id)
);

CREATE TABLE security_group_default_rules (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  deleted INTEGER,
  id INTEGER NOT NULL,
  protocol VARCHAR(5),
  from_port INTEGER,
  to_port INTEGER,
  cidr VARCHAR(43),
  PRIMARY KEY (id)
);

CREATE TABLE security_group_instance_association (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  security_group_id INTEGER,
  instance_uuid VARCHAR(36),
  deleted INTEGER,
  PRIMARY KEY (id),
  CONSTRAINT security_group_instance_association_ibfk_1 FOREIGN KEY(security_group_id) REFERENCES security_groups (id),
  CONSTRAINT security_group_instance_association_instance_uuid_fkey FOREIGN KEY(instance_uuid) REFERENCES instances (uuid)
);

CREATE INDEX security_group_instance_association_instance_uuid_idx ON security_group_instance_association (instance_uuid);

CREATE TABLE security_group_rules (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  parent_group_id INTEGER,
  protocol VARCHAR(255),
  from_port INTEGER,
  to_port INTEGER,
  cidr VARCHAR(43),
  group_id INTEGER,
  deleted INTEGER,
  PRIMARY KEY (id),
  FOREIGN KEY(parent_group_id) REFERENCES security_groups (id),
  FOREIGN KEY(group_id) REFERENCES security_groups (id)
);

CREATE TABLE security_groups (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  name VARCHAR(255),
  description VARCHAR(255),
  user_id VARCHAR(255),
  project_id VARCHAR(255),
  deleted INTEGER,
  PRIMARY KEY (id),
  CONSTRAINT uniq_security_groups0project_id0name0deleted UNIQUE (project_id, name, deleted)
);

CREATE TABLE services (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  host VARCHAR(255),
  binary VARCHAR(255),
  topic VARCHAR(255),
  report_count INTEGER NOT NULL,
  disabled BOOLEAN,
  deleted INTEGER,
  disabled_reason VARCHAR(255),
  last_seen_up DATETIME,
  forced_down BOOLEAN,
  version INTEGER,
  uuid VARCHAR(36),
  PRIMARY KEY (id),
  CONSTRAINT uniq_services0host0topic0deleted UNIQUE (host, topic, deleted),
  CONSTRAINT uniq_services0host0binary0deleted UNIQUE (host, binary, deleted)
);

CREATE UNIQUE INDEX services_uuid_idx ON services (uuid);

CREATE TABLE shadow_agent_builds (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  hypervisor VARCHAR(255),
  os VARCHAR(255),
  architecture VARCHAR(255),
  version VARCHAR(255),
  url VARCHAR(255),
  md5hash VARCHAR(255),
  deleted INTEGER,
  PRIMARY KEY (id)
);

CREATE TABLE shadow_aggregate_hosts (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  host VARCHAR(255),
  aggregate_id INTEGER NOT NULL,
  deleted INTEGER,
  PRIMARY KEY (id)
);

CREATE TABLE shadow_aggregate_metadata (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  aggregate_id INTEGER NOT NULL,
  "key" VARCHAR(255) NOT NULL,
  value VARCHAR(255) NOT NULL,
  deleted INTEGER,
  PRIMARY KEY (id)
);

CREATE TABLE shadow_aggregates (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  name VARCHAR(255),
  deleted INTEGER,
  uuid VARCHAR(36),
  PRIMARY KEY (id)
);

CREATE TABLE shadow_alembic_version (
  version_num VARCHAR(32) NOT NULL,
  PRIMARY KEY (version_num)
);

CREATE TABLE shadow_block_device_mapping (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  device_name VARCHAR(255),
  delete_on_termination BOOLEAN,
  snapshot_id VARCHAR(36),
  volume_id VARCHAR(36),
  volume_size INTEGER,
  no_device BOOLEAN,
  connection_info TEXT,
  instance_uuid VARCHAR(36),
  deleted INTEGER,
  source_type VARCHAR(255),
  destination_type VARCHAR(255),
  guest_format VARCHAR(255),
  device_type VARCHAR(255),
  disk_bus VARCHAR(255),
  boot_index INTEGER,
  image_id VARCHAR(36),
  tag VARCHAR(255),
  attachment_id VARCHAR(36),
  uuid VARCHAR(36),
  volume_type VARCHAR(255), encrypted BOOLEAN, encryption_secret_uuid VARCHAR(36), encryption_format VARCHAR(128), encryption_options VARCHAR(4096),
  PRIMARY KEY (id)
);

CREATE TABLE shadow_bw_usage_cache (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  start_period DATETIME NOT NULL,
  last_refreshed DATETIME,
  bw_in BIGINT,
  bw_out BIGINT,
  mac VARCHAR(255),
  uuid VARCHAR(36),
  last_ctr_in BIGINT,
  last_ctr_out BIGINT,
  deleted INTEGER,
  PRIMARY KEY (id)
);

CREATE TABLE shadow_cells (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  api_url VARCHAR(255),
  weight_offset FLOAT,
  weight_scale FLOAT,
  name VARCHAR(255),
  is_parent BOOLEAN,
  deleted INTEGER,
  transport_url VARCHAR(255) NOT NULL,
  PRIMARY KEY (id)
);

CREATE TABLE shadow_certificates (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  user_id VARCHAR(255),
  project_id VARCHAR(255),
  file_name VARCHAR(255),
  deleted INTEGER,
  PRIMARY KEY (id)
);

CREATE TABLE shadow_compute_nodes (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  service_id INTEGER,
  vcpus INTEGER NOT NULL,
  memory_mb INTEGER NOT NULL,
  local_gb INTEGER NOT NULL,
  vcpus_used INTEGER NOT NULL,
  memory_mb_used INTEGER NOT NULL,
  local_gb_used INTEGER NOT NULL,
  hypervisor_type TEXT NOT NULL,
  hypervisor_version INTEGER NOT NULL,
  cpu_info TEXT NOT NULL,
  disk_available_least INTEGER,
  free_ram_mb INTEGER,
  free_disk_gb INTEGER,
  current_workload INTEGER,
  running_vms INTEGER,
  hypervisor_hostname VARCHAR(255),
  deleted INTEGER,
  host_ip VARCHAR(39),
  supported_instances TEXT,
  pci_stats TEXT,
  metrics TEXT,
  extra_resources TEXT,
  stats TEXT,
  numa_topology TEXT,
  host VARCHAR(255),
  ram_allocation_ratio FLOAT,
  cpu_allocation_ratio FLOAT,
  uuid VARCHAR(36),
  disk_allocation_ratio FLOAT,
  mapped INTEGER,
  PRIMARY KEY (id)
);

CREATE TABLE shadow_console_pools (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  address VARCHAR(39),
  username VARCHAR(255),
  password VARCHAR(255),
  console_type VARCHAR(255),
  public_hostname VARCHAR(255),
  host VARCHAR(255),
  compute_host VARCHAR(255),
  deleted INTEGER,
  PRIMARY KEY (id)
);

CREATE TABLE shadow_consoles (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  instance_name VARCHAR(255),
  password VARCHAR(255),
  port INTEGER,
  pool_id INTEGER,
  instance_uuid VARCHAR(36),
  deleted INTEGER,
  PRIMARY KEY (id)
);

CREATE TABLE shadow_dns_domains (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  deleted BOOLEAN,
  domain VARCHAR(255) NOT NULL,
  scope VARCHAR(255),
  availability_zone VARCHAR(255),
  project_id VARCHAR(255),
  PRIMARY KEY (domain)
);

CREATE TABLE shadow_fixed_ips (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  address VARCHAR(39),
  network_id INTEGER,
  allocated BOOLEAN,
  leased BOOLEAN,
  reserved BOOLEAN,
  virtual_interface_id INTEGER,
  host VARCHAR(255),
  instance_uuid VARCHAR(36),
  deleted INTEGER,
  PRIMARY KEY (id)
);

CREATE TABLE shadow_floating_ips (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  address VARCHAR(39),
  fixed_ip_id INTEGER,
  project_id VARCHAR(255),
  host VARCHAR(255),
  auto_assigned BOOLEAN,
  pool VARCHAR(255),
  interface VARCHAR(255),
  deleted INTEGER,
  PRIMARY KEY (id)
);

CREATE TABLE shadow_instance_actions (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  action VARCHAR(255),
  instance_uuid VARCHAR(36),
  request_id VARCHAR(255),
  user_id VARCHAR(255),
  project_id VARCHAR(255),
  start_time DATETIME,
  finish_time DATETIME,
  message VARCHAR(255),
  deleted INTEGER,
  PRIMARY KEY (id)
);

CREATE TABLE shadow_instance_actions_events (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  event VARCHAR(255),
  action_id INTEGER,
  start_time DATETIME,
  finish_time DATETIME,
  result VARCHAR(255),
  traceback TEXT,
  deleted INTEGER,
  host VARCHAR(255),
  details TEXT,
  PRIMARY KEY (id)
);

CREATE TABLE shadow_instance_extra (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  deleted INTEGER,
  id INTEGER NOT NULL,
  instance_uuid VARCHAR(36) NOT NULL,
  numa_topology TEXT,
  pci_requests TEXT,
  flavor TEXT,
  vcpu_model TEXT,
  migration_context TEXT,
  keypairs TEXT,
  device_metadata TEXT,
  trusted_certs TEXT,
  vpmems TEXT,
  resources TEXT,
  PRIMARY KEY (id)
);

CREATE TABLE shadow_instance_faults (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  instance_uuid VARCHAR(36),
  code INTEGER NOT NULL,
  message VARCHAR(255),
  details TEXT,
  host VARCHAR(255),
  deleted INTEGER,
  PRIMARY KEY (id)
);

CREATE TABLE shadow_instance_group_member (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  deleted INTEGER,
  id INTEGER NOT NULL,
  instance_id VARCHAR(255),
  group_id INTEGER NOT NULL,
  PRIMARY KEY (id)
);

CREATE TABLE shadow_instance_group_policy (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  deleted INTEGER,
  id INTEGER NOT NULL,
  policy VARCHAR(255),
  group_id INTEGER NOT NULL,
  PRIMARY KEY (id)
);

CREATE TABLE shadow_instance_groups (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  deleted INTEGER,
  id INTEGER NOT NULL,
  user_id VARCHAR(255),
  project_id VARCHAR(255),
  uuid VARCHAR(36) NOT NULL,
  name VARCHAR(255),
  PRIMARY KEY (id)
);

CREATE TABLE shadow_instance_id_mappings (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  uuid VARCHAR(36) NOT NULL,
  deleted INTEGER,
  PRIMARY KEY (id)
);

CREATE TABLE shadow_instance_info_caches (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  network_info TEXT,
  instance_uuid VARCHAR(36) NOT NULL,
  deleted INTEGER,
  PRIMARY KEY (id)
);

CREATE TABLE shadow_instance_metadata (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  "key" VARCHAR(255),
  value VARCHAR(255),
  instance_uuid VARCHAR(36),
  deleted INTEGER,
  PRIMARY KEY (id)
);

CREATE TABLE shadow_instance_system_metadata (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  instance_uuid VARCHAR(36) NOT NULL,
  "key" VARCHAR(255) NOT NULL,
  value VARCHAR(255),
  deleted INTEGER,
  PRIMARY KEY (id)
);

CREATE TABLE shadow_instance_type_extra_specs (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  instance_type_id INTEGER NOT NULL,
  "key" VARCHAR(255),
  value VARCHAR(255),
  deleted INTEGER,
  PRIMARY KEY (id)
);

CREATE TABLE shadow_instance_type_projects (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  instance_type_id INTEGER NOT NULL,
  project_id VARCHAR(255),
  deleted INTEGER,
  PRIMARY KEY (id)
);

CREATE TABLE shadow_instance_types (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  name VARCHAR(255),
  id INTEGER NOT NULL,
  memory_mb INTEGER NOT NULL,
  vcpus INTEGER NOT NULL,
  swap INTEGER NOT NULL,
  vcpu_weight INTEGER,
  flavorid VARCHAR(255),
  rxtx_factor FLOAT,
  root_gb INTEGER,
  ephemeral_gb INTEGER,
  disabled BOOLEAN,
  is_public BOOLEAN,
  deleted INTEGER,
  PRIMARY KEY (id)
);

CREATE TABLE shadow_instances (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  internal_id INTEGER,
  user_id VARCHAR(255),
  project_id VARCHAR(255),
  image_ref VARCHAR(255),
  kernel_id VARCHAR(255),
  ramdisk_id VARCHAR(255),
  launch_index INTEGER,
  key_name VARCHAR(255),
  key_data TEXT,
  power_state INTEGER,
  vm_state VARCHAR(255),
  memory_mb INTEGER,
  vcpus INTEGER,
  hostname VARCHAR(255),
  host VARCHAR(255),
  user_data TEXT,
  reservation_id VARCHAR(255),
  launched_at DATETIME,
  terminated_at DATETIME,
  display_name VARCHAR(255),
  display_description VARCHAR(255),
  availability_zone VARCHAR(255),
  locked BOOLEAN,
  os_type VARCHAR(255),
  launched_on TEXT,
  instance_type_id INTEGER,
  vm_mode VARCHAR(255),
  uuid VARCHAR(36) NOT NULL,
  architecture VARCHAR(255),
  root_device_name VARCHAR(255),
  access_ip_v4 VARCHAR(39),
  access_ip_v6 VARCHAR(39),
  config_drive VARCHAR(255),
  task_state VARCHAR(255),
  default_ephemeral_device VARCHAR(255),
  default_swap_device VARCHAR(255),
  progress INTEGER,
  auto_disk_config BOOLEAN,
  shutdown_terminate BOOLEAN,
  disable_terminate BOOLEAN,
  root_gb INTEGER,
  ephemeral_gb INTEGER,
  cell_name VARCHAR(255),
  node VARCHAR(255),
  deleted INTEGER,
  locked_by VARCHAR(5),
  cleaned INTEGER,
  ephemeral_key_uuid VARCHAR(36),
  hidden BOOLEAN, compute_id BIGINT,
  PRIMARY KEY (id)
);

CREATE TABLE shadow_key_pairs (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  name VARCHAR(255),
  user_id VARCHAR(255),
  fingerprint VARCHAR(255),
  public_key TEXT,
  deleted INTEGER,
  type VARCHAR(4) DEFAULT 'ssh' NOT NULL,
  PRIMARY KEY (id)
);

CREATE TABLE shadow_migrations (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  source_compute VARCHAR(255),
  dest_compute VARCHAR(255),
  dest_host VARCHAR(255),
  status VARCHAR(255),
  instance_uuid VARCHAR(36),
  old_instance_type_id INTEGER,
  new_instance_type_id INTEGER,
  source_node VARCHAR(255),
  dest_node VARCHAR(255),
  deleted INTEGER,
  migration_type VARCHAR(14),
  hidden BOOLEAN,
  memory_total BIGINT,
  memory_processed BIGINT,
  memory_remaining BIGINT,
  disk_total BIGINT,
  disk_processed BIGINT,
  disk_remaining BIGINT,
  uuid VARCHAR(36),
  cross_cell_move BOOLEAN,
  user_id VARCHAR(255),
  project_id VARCHAR(255), dest_compute_id BIGINT,
  PRIMARY KEY (id)
);

CREATE TABLE shadow_networks (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  injected BOOLEAN,
  cidr VARCHAR(43),
  netmask VARCHAR(39),
  bridge VARCHAR(255),
  gateway VARCHAR(39),
  broadcast VARCHAR(39),
  dns1 VARCHAR(39),
  vlan INTEGER,
  vpn_public_address VARCHAR(39),
  vpn_public_port INTEGER,
  vpn_private_address VARCHAR(39),
  dhcp_start VARCHAR(39),
  project_id VARCHAR(255),
  host VARCHAR(255),
  cidr_v6 VARCHAR(43),
  gateway_v6 VARCHAR(39),
  label VARCHAR(255),
  netmask_v6 VARCHAR(39),
  bridge_interface VARCHAR(255),
  multi_host BOOLEAN,
  dns2 VARCHAR(39),
  uuid VARCHAR(36),
  priority INTEGER,
  rxtx_base INTEGER,
  deleted INTEGER,
  mtu INTEGER,
  dhcp_server VARCHAR(39),
  enable_dhcp BOOLEAN,
  share_address BOOLEAN,
  PRIMARY KEY (id)
);

CREATE TABLE shadow_pci_devices (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  deleted INTEGER NOT NULL,
  id INTEGER NOT NULL,
  compute_node_id INTEGER NOT NULL,
  address VARCHAR(12) NOT NULL,
  product_id VARCHAR(4),
  vendor_id VARCHAR(4),
  dev_type VARCHAR(8),
  dev_id VARCHAR(255),
  label VARCHAR(255) NOT NULL,
  status VARCHAR(36) NOT NULL,
  extra_info TEXT,
  instance_uuid VARCHAR(36),
  request_id VARCHAR(36),
  numa_node INTEGER,
  parent_addr VARCHAR(12),
  uuid VARCHAR(36),
  PRIMARY KEY (id)
);

CREATE TABLE shadow_project_user_quotas (
  id INTEGER NOT NULL,
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  deleted INTEGER,
  user_id VARCHAR(255) NOT NULL,
  project_id VARCHAR(255) NOT NULL,
  resource VARCHAR(255) NOT NULL,
  hard_limit INTEGER,
  PRIMARY KEY (id)
);

CREATE TABLE shadow_provider_fw_rules (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  protocol VARCHAR(5),
  from_port INTEGER,
  to_port INTEGER,
  cidr VARCHAR(43),
  deleted INTEGER,
  PRIMARY KEY (id)
);

CREATE TABLE shadow_quota_classes (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  class_name VARCHAR(255),
  resource VARCHAR(255),
  hard_limit INTEGER,
  deleted INTEGER,
  PRIMARY KEY (id)
);

CREATE TABLE shadow_quota_usages (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  project_id VARCHAR(255),
  resource VARCHAR(255) NOT NULL,
  in_use INTEGER NOT NULL,
  reserved INTEGER NOT NULL,
  until_refresh INTEGER,
  deleted INTEGER,
  user_id VARCHAR(255),
  PRIMARY KEY (id)
);

CREATE TABLE shadow_quotas (
  id INTEGER NOT NULL,
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  project_id VARCHAR(255),
  resource VARCHAR(255) NOT NULL,
  hard_limit INTEGER,
  deleted INTEGER,
  PRIMARY KEY (id)
);

CREATE TABLE shadow_reservations (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  uuid VARCHAR(36) NOT NULL,
  usage_id INTEGER NOT NULL,
  project_id VARCHAR(255),
  resource VARCHAR(255),
  delta INTEGER NOT NULL,
  expire DATETIME,
  deleted INTEGER,
  user_id VARCHAR(255),
  PRIMARY KEY (id)
);

CREATE TABLE shadow_s3_images (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  uuid VARCHAR(36) NOT NULL,
  deleted INTEGER,
  PRIMARY KEY (id)
);

CREATE TABLE shadow_security_group_default_rules (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  deleted INTEGER,
  id INTEGER NOT NULL,
  protocol VARCHAR(5),
  from_port INTEGER,
  to_port INTEGER,
  cidr VARCHAR(43),
  PRIMARY KEY (id)
);

CREATE TABLE shadow_security_group_instance_association (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  security_group_id INTEGER,
  instance_uuid VARCHAR(36),
  deleted INTEGER,
  PRIMARY KEY (id)
);

CREATE TABLE shadow_security_group_rules (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  parent_group_id INTEGER,
  protocol VARCHAR(255),
  from_port INTEGER,
  to_port INTEGER,
  cidr VARCHAR(43),
  group_id INTEGER,
  deleted INTEGER,
  PRIMARY KEY (id)
);

CREATE TABLE shadow_security_groups (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  name VARCHAR(255),
  description VARCHAR(255),
  user_id VARCHAR(255),
  project_id VARCHAR(255),
  deleted INTEGER,
  PRIMARY KEY (id)
);

CREATE TABLE shadow_services (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  host VARCHAR(255),
  binary VARCHAR(255),
  topic VARCHAR(255),
  report_count INTEGER NOT NULL,
  disabled BOOLEAN,
  deleted INTEGER,
  disabled_reason VARCHAR(255),
  last_seen_up DATETIME,
  forced_down BOOLEAN,
  version INTEGER,
  uuid VARCHAR(36),
  PRIMARY KEY (id)
);

CREATE TABLE shadow_snapshot_id_mappings (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  uuid VARCHAR(36) NOT NULL,
  deleted INTEGER,
  PRIMARY KEY (id)
);

CREATE TABLE shadow_snapshots (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id VARCHAR(36) NOT NULL,
  volume_id VARCHAR(36) NOT NULL,
  user_id VARCHAR(255),
  project_id VARCHAR(255),
  status VARCHAR(255),
  progress VARCHAR(255),
  volume_size INTEGER,
  scheduled_at DATETIME,
  display_name VARCHAR(255),
  display_description VARCHAR(255),
  deleted VARCHAR(36),
  PRIMARY KEY (id)
);

CREATE TABLE shadow_task_log (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  task_name VARCHAR(255) NOT NULL,
  state VARCHAR(255) NOT NULL,
  host VARCHAR(255) NOT NULL,
  period_beginning DATETIME NOT NULL,
  period_ending DATETIME NOT NULL,
  message VARCHAR(255) NOT NULL,
  task_items INTEGER,
  errors INTEGER,
  deleted INTEGER,
  PRIMARY KEY (id)
);

CREATE TABLE shadow_virtual_interfaces (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  address VARCHAR(255),
  network_id INTEGER,
  uuid VARCHAR(36),
  instance_uuid VARCHAR(36),
  deleted INTEGER,
  tag VARCHAR(255),
  PRIMARY KEY (id)
);

CREATE TABLE shadow_volume_id_mappings (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  uuid VARCHAR(36) NOT NULL,
  deleted INTEGER,
  PRIMARY KEY (id)
);

CREATE TABLE "shadow_volume_usage_cache" (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  volume_id VARCHAR(36) NOT NULL,
  tot_last_refreshed DATETIME,
  tot_reads BIGINT,
  tot_read_bytes BIGINT,
  tot_writes BIGINT,
  tot_write_bytes BIGINT,
  curr_last_refreshed DATETIME,
  curr_reads BIGINT,
  curr_read_bytes BIGINT,
  curr_writes BIGINT,
  curr_write_bytes BIGINT,
  deleted INTEGER,
  instance_uuid VARCHAR(36),
  project_id VARCHAR(36),
  user_id VARCHAR(64),
  availability_zone VARCHAR(255),
  PRIMARY KEY (id)
);

CREATE TABLE share_mapping (
  created_at DATETIME,
  updated_at DATETIME,
  id INTEGER NOT NULL,
  uuid VARCHAR(36),
  instance_uuid VARCHAR(36),
  share_id VARCHAR(36),
  status VARCHAR(32),
  tag VARCHAR(48),
  export_location TEXT,
  share_proto VARCHAR(32),
  PRIMARY KEY (id),
  CONSTRAINT uniq_key_pairs0instance_uuid0share_id UNIQUE (instance_uuid, share_id),
  CONSTRAINT uniq_key_pairs0instance_uuid0tag UNIQUE (instance_uuid, tag),
  CONSTRAINT share_mapping_instance_uuid_fkey FOREIGN KEY(instance_uuid) REFERENCES instances (uuid)
);

CREATE INDEX share_idx ON share_mapping (share_id);

CREATE INDEX share_mapping_instance_uuid_share_id_idx ON share_mapping (instance_uuid, share_id);

CREATE TABLE snapshot_id_mappings (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  uuid VARCHAR(36) NOT NULL,
  deleted INTEGER,
  PRIMARY KEY (id)
);

CREATE TABLE snapshots (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id VARCHAR(36) NOT NULL,
  volume_id VARCHAR(36) NOT NULL,
  user_id VARCHAR(255),
  project_id VARCHAR(255),
  status VARCHAR(255),
  progress VARCHAR(255),
  volume_size INTEGER,
  scheduled_at DATETIME,
  display_name VARCHAR(255),
  display_description VARCHAR(255),
  deleted VARCHAR(36),
  PRIMARY KEY (id)
);

CREATE TABLE tags (
  resource_id VARCHAR(36) NOT NULL,
  tag VARCHAR(80) NOT NULL,
  PRIMARY KEY (resource_id, tag)
);

CREATE INDEX tags_tag_idx ON tags (tag);

CREATE TABLE task_log (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  task_name VARCHAR(255) NOT NULL,
  state VARCHAR(255) NOT NULL,
  host VARCHAR(255) NOT NULL,
  period_beginning DATETIME NOT NULL,
  period_ending DATETIME NOT NULL,
  message VARCHAR(255) NOT NULL,
  task_items INTEGER,
  errors INTEGER,
  deleted INTEGER,
  PRIMARY KEY (id),
  CONSTRAINT uniq_task_log0task_name0host0period_beginning0period_ending UNIQUE (task_name, host, period_beginning, period_ending)
);

CREATE INDEX ix_task_log_host ON task_log (host);

CREATE INDEX ix_task_log_period_beginning ON task_log (period_beginning);

CREATE INDEX ix_task_log_period_ending ON task_log (period_ending);

CREATE TABLE virtual_interfaces (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  address VARCHAR(255),
  network_id INTEGER,
  uuid VARCHAR(36),
  instance_uuid VARCHAR(36),
  deleted INTEGER,
  tag VARCHAR(255),
  PRIMARY KEY (id),
  CONSTRAINT uniq_virtual_interfaces0address0deleted UNIQUE (address, deleted),
  CONSTRAINT virtual_interfaces_instance_uuid_fkey FOREIGN KEY(instance_uuid) REFERENCES instances (uuid)
);

CREATE INDEX virtual_interfaces_instance_uuid_fkey ON virtual_interfaces (instance_uuid);

CREATE INDEX virtual_interfaces_network_id_idx ON virtual_interfaces (network_id);

CREATE INDEX virtual_interfaces_uuid_idx ON virtual_interfaces (uuid);

CREATE TABLE volume_id_mappings (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  uuid VARCHAR(36) NOT NULL,
  deleted INTEGER,
  PRIMARY KEY (id)
);

CREATE TABLE volume_usage_cache (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  id INTEGER NOT NULL,
  volume_id VARCHAR(36) NOT NULL,
  tot_last_refreshed DATETIME,
  tot_reads BIGINT,
  tot_read_bytes BIGINT,
  tot_writes BIGINT,
  tot_write_bytes BIGINT,
  curr_last_refreshed DATETIME,
  curr_reads BIGINT,
  curr_read_bytes BIGINT,
  curr_writes BIGINT,
  curr_write_bytes BIGINT,
  deleted INTEGER,
  instance_uuid VARCHAR(36),
  project_id VARCHAR(36),
  user_id VARCHAR(64),
  availability_zone VARCHAR(255),
  PRIMARY KEY (id)
);
