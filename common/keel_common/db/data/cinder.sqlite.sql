CREATE TABLE alembic_version (
  version_num VARCHAR(32) NOT NULL,
  CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);

CREATE TABLE attachment_specs (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  deleted BOOLEAN,
  id INTEGER NOT NULL,
  attachment_id VARCHAR(36) NOT NULL,
  "key" VARCHAR(255),
  value VARCHAR(255),
  PRIMARY KEY (id),
  FOREIGN KEY(attachment_id) REFERENCES volume_attachment (id)
);

CREATE TABLE backup_metadata (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  deleted BOOLEAN,
  id INTEGER NOT NULL,
  backup_id VARCHAR(36) NOT NULL,
  "key" VARCHAR(255),
  value VARCHAR(255),
  PRIMARY KEY (id),
  FOREIGN KEY(backup_id) REFERENCES backups (id)
);

CREATE TABLE backups (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  deleted BOOLEAN,
  id VARCHAR(36) NOT NULL,
  volume_id VARCHAR(36) NOT NULL,
  user_id VARCHAR(255),
  project_id VARCHAR(255),
  host VARCHAR(255),
  availability_zone VARCHAR(255),
  display_name VARCHAR(255),
  display_description VARCHAR(255),
  container VARCHAR(255),
  status VARCHAR(255),
  fail_reason VARCHAR(255),
  service_metadata VARCHAR(255),
  service VARCHAR(255),
  size INTEGER,
  object_count INTEGER,
  parent_id VARCHAR(36),
  temp_volume_id VARCHAR(36),
  temp_snapshot_id VARCHAR(36),
  num_dependent_backups INTEGER,
  snapshot_id VARCHAR(36),
  data_timestamp DATETIME,
  restore_volume_id VARCHAR(36),
  encryption_key_id VARCHAR(36),
  PRIMARY KEY (id),
  CHECK (deleted IN (0, 1))
);

CREATE TABLE cgsnapshots (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  deleted BOOLEAN,
  id VARCHAR(36) NOT NULL,
  consistencygroup_id VARCHAR(36) NOT NULL,
  user_id VARCHAR(255),
  project_id VARCHAR(255),
  name VARCHAR(255),
  description VARCHAR(255),
  status VARCHAR(255),
  PRIMARY KEY (id),
  CHECK (deleted IN (0, 1)),
  FOREIGN KEY(consistencygroup_id) REFERENCES consistencygroups (id)
);

CREATE TABLE clusters (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  deleted BOOLEAN,
  id INTEGER NOT NULL,
  name VARCHAR(255) NOT NULL,
  binary VARCHAR(255) NOT NULL,
  disabled BOOLEAN,
  disabled_reason VARCHAR(255),
  race_preventer INTEGER NOT NULL,
  replication_status VARCHAR(36),
  active_backend_id VARCHAR(255),
  frozen BOOLEAN DEFAULT 0 NOT NULL,
  PRIMARY KEY (id),
  UNIQUE (name, binary, race_preventer)
);

CREATE TABLE consistencygroups (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  deleted BOOLEAN,
  id VARCHAR(36) NOT NULL,
  user_id VARCHAR(255),
  project_id VARCHAR(255),
  host VARCHAR(255),
  availability_zone VARCHAR(255),
  name VARCHAR(255),
  description VARCHAR(255),
  volume_type_id VARCHAR(255),
  status VARCHAR(255),
  cgsnapshot_id VARCHAR(36),
  source_cgid VARCHAR(36),
  cluster_name VARCHAR(255),
  PRIMARY KEY (id),
  CHECK (deleted IN (0, 1))
);

CREATE TABLE default_volume_types (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  volume_type_id VARCHAR(36),
  project_id VARCHAR(255) NOT NULL,
  deleted BOOLEAN,
  PRIMARY KEY (project_id),
  CHECK (deleted IN (0, 1)),
  FOREIGN KEY(volume_type_id) REFERENCES volume_types (id)
);

CREATE TABLE driver_initiator_data (
  created_at DATETIME,
  updated_at DATETIME,
  id INTEGER NOT NULL,
  initiator VARCHAR(255) NOT NULL,
  namespace VARCHAR(255) NOT NULL,
  "key" VARCHAR(255) NOT NULL,
  value VARCHAR(255),
  PRIMARY KEY (id),
  UNIQUE (initiator, namespace, "key")
);

CREATE TABLE encryption (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  deleted BOOLEAN,
  cipher VARCHAR(255),
  control_location VARCHAR(255),
  key_size INTEGER,
  provider VARCHAR(255),
  volume_type_id VARCHAR(36) NOT NULL,
  encryption_id VARCHAR(36),
  PRIMARY KEY (encryption_id),
  CHECK (deleted IN (0, 1))
);

CREATE TABLE group_snapshots (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  deleted BOOLEAN,
  id VARCHAR(36) NOT NULL,
  group_id VARCHAR(36) NOT NULL,
  user_id VARCHAR(255),
  project_id VARCHAR(255),
  name VARCHAR(255),
  description VARCHAR(255),
  status VARCHAR(255),
  group_type_id VARCHAR(36),
  PRIMARY KEY (id),
  CHECK (deleted IN (0, 1)),
  FOREIGN KEY(group_id) REFERENCES groups (id)
);

CREATE TABLE group_type_projects (
  id INTEGER NOT NULL,
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  group_type_id VARCHAR(36),
  project_id VARCHAR(255),
  deleted BOOLEAN,
  PRIMARY KEY (id),
  CHECK (deleted IN (0, 1)),
  FOREIGN KEY(group_type_id) REFERENCES group_types (id),
  UNIQUE (group_type_id, project_id, deleted)
);

CREATE TABLE group_type_specs (
  id INTEGER NOT NULL,
  "key" VARCHAR(255),
  value VARCHAR(255),
  group_type_id VARCHAR(36) NOT NULL,
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  deleted BOOLEAN,
  PRIMARY KEY (id),
  FOREIGN KEY(group_type_id) REFERENCES group_types (id)
);

CREATE TABLE group_types (
  id VARCHAR(36) NOT NULL,
  name VARCHAR(255) NOT NULL,
  description VARCHAR(255),
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  deleted BOOLEAN,
  is_public BOOLEAN,
  PRIMARY KEY (id)
);

CREATE TABLE group_volume_type_mapping (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  deleted BOOLEAN,
  id INTEGER NOT NULL,
  volume_type_id VARCHAR(36) NOT NULL,
  group_id VARCHAR(36) NOT NULL,
  PRIMARY KEY (id),
  FOREIGN KEY(group_id) REFERENCES groups (id),
  FOREIGN KEY(volume_type_id) REFERENCES volume_types (id)
);

CREATE TABLE groups (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  deleted BOOLEAN,
  id VARCHAR(36) NOT NULL,
  user_id VARCHAR(255),
  project_id VARCHAR(255),
  cluster_name VARCHAR(255),
  host VARCHAR(255),
  availability_zone VARCHAR(255),
  name VARCHAR(255),
  description VARCHAR(255),
  group_type_id VARCHAR(36),
  status VARCHAR(255),
  group_snapshot_id VARCHAR(36),
  source_group_id VARCHAR(36),
  replication_status VARCHAR(255),
  PRIMARY KEY (id)
);

CREATE TABLE image_volume_cache_entries (
  image_updated_at DATETIME,
  id INTEGER NOT NULL,
  host VARCHAR(255) NOT NULL,
  image_id VARCHAR(36) NOT NULL,
  volume_id VARCHAR(36) NOT NULL,
  size INTEGER NOT NULL,
  last_used DATETIME NOT NULL,
  cluster_name VARCHAR(255),
  PRIMARY KEY (id)
);

CREATE TABLE messages (
  id VARCHAR(36) NOT NULL,
  project_id VARCHAR(255) NOT NULL,
  request_id VARCHAR(255),
  resource_type VARCHAR(36),
  resource_uuid VARCHAR(255),
  event_id VARCHAR(255) NOT NULL,
  message_level VARCHAR(255) NOT NULL,
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  deleted BOOLEAN,
  expires_at DATETIME,
  detail_id VARCHAR(10),
  action_id VARCHAR(10),
  PRIMARY KEY (id)
);

CREATE TABLE quality_of_service_specs (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  deleted BOOLEAN,
  id VARCHAR(36) NOT NULL,
  specs_id VARCHAR(36),
  "key" VARCHAR(255),
  value VARCHAR(255),
  PRIMARY KEY (id),
  CHECK (deleted IN (0, 1)),
  FOREIGN KEY(specs_id) REFERENCES quality_of_service_specs (id)
);

CREATE TABLE "quota_classes" (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  deleted BOOLEAN,
  id INTEGER NOT NULL,
  class_name VARCHAR(255),
  resource VARCHAR(300),
  hard_limit INTEGER,
  PRIMARY KEY (id)
);

CREATE TABLE "quota_usages" (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  deleted BOOLEAN,
  id INTEGER NOT NULL,
  project_id VARCHAR(255),
  resource VARCHAR(300),
  in_use INTEGER NOT NULL,
  reserved INTEGER NOT NULL,
  until_refresh INTEGER,
  race_preventer BOOLEAN,
  PRIMARY KEY (id),
  UNIQUE (project_id, resource, race_preventer)
);

CREATE TABLE "quotas" (
  id INTEGER NOT NULL,
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  deleted BOOLEAN,
  project_id VARCHAR(255),
  resource VARCHAR(300) NOT NULL,
  hard_limit INTEGER,
  allocated INTEGER,
  PRIMARY KEY (id)
);

CREATE TABLE "reservations" (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  deleted BOOLEAN,
  id INTEGER NOT NULL,
  uuid VARCHAR(36) NOT NULL,
  usage_id INTEGER,
  project_id VARCHAR(255),
  resource VARCHAR(300),
  delta INTEGER NOT NULL,
  expire DATETIME,
  allocated_id INTEGER,
  PRIMARY KEY (id),
  FOREIGN KEY(allocated_id) REFERENCES quotas (id),
  FOREIGN KEY(usage_id) REFERENCES quota_usages (id)
);

CREATE TABLE services (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  deleted BOOLEAN,
  id INTEGER NOT NULL,
  host VARCHAR(255),
  binary VARCHAR(255),
  topic VARCHAR(255),
  report_count INTEGER NOT NULL,
  disabled BOOLEAN,
  availability_zone VARCHAR(255),
  disabled_reason VARCHAR(255),
  modified_at DATETIME,
  rpc_current_version VARCHAR(36),
  object_current_version VARCHAR(36),
  replication_status VARCHAR(36),
  frozen BOOLEAN,
  active_backend_id VARCHAR(255),
  cluster_name VARCHAR(255),
  uuid VARCHAR(36),
  PRIMARY KEY (id)
);

CREATE TABLE snapshot_metadata (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  deleted BOOLEAN,
  id INTEGER NOT NULL,
  snapshot_id VARCHAR(36) NOT NULL,
  "key" VARCHAR(255),
  value VARCHAR(255),
  PRIMARY KEY (id),
  FOREIGN KEY(snapshot_id) REFERENCES snapshots (id)
);

CREATE TABLE "snapshots" (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  deleted BOOLEAN,
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
  provider_location VARCHAR(255),
  encryption_key_id VARCHAR(36),
  volume_type_id VARCHAR(36) NOT NULL,
  cgsnapshot_id VARCHAR(36),
  provider_id VARCHAR(255),
  provider_auth VARCHAR(255),
  group_snapshot_id VARCHAR(36),
  use_quota BOOLEAN DEFAULT 1 NOT NULL,
  PRIMARY KEY (id),
  CONSTRAINT snapshots_volume_id_fkey FOREIGN KEY(volume_id) REFERENCES volumes (id),
  FOREIGN KEY(cgsnapshot_id) REFERENCES cgsnapshots (id),
  FOREIGN KEY(group_snapshot_id) REFERENCES group_snapshots (id)
);

CREATE TABLE transfers (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  deleted BOOLEAN,
  id VARCHAR(36) NOT NULL,
  volume_id VARCHAR(36) NOT NULL,
  display_name VARCHAR(255),
  salt VARCHAR(255),
  crypt_hash VARCHAR(255),
  expires_at DATETIME,
  no_snapshots BOOLEAN,
  source_project_id VARCHAR(255),
  destination_project_id VARCHAR(255),
  accepted BOOLEAN,
  PRIMARY KEY (id),
  FOREIGN KEY(volume_id) REFERENCES volumes (id)
);

CREATE TABLE volume_admin_metadata (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  deleted BOOLEAN,
  id INTEGER NOT NULL,
  volume_id VARCHAR(36) NOT NULL,
  "key" VARCHAR(255),
  value VARCHAR(255),
  PRIMARY KEY (id),
  FOREIGN KEY(volume_id) REFERENCES volumes (id)
);

CREATE TABLE volume_attachment (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  deleted BOOLEAN,
  id VARCHAR(36) NOT NULL,
  volume_id VARCHAR(36) NOT NULL,
  attached_host VARCHAR(255),
  instance_uuid VARCHAR(36),
  mountpoint VARCHAR(255),
  attach_time DATETIME,
  detach_time DATETIME,
  attach_mode VARCHAR(36),
  attach_status VARCHAR(255),
  connection_info TEXT,
  connector TEXT,
  PRIMARY KEY (id),
  FOREIGN KEY(volume_id) REFERENCES volumes (id)
);

CREATE TABLE volume_glance_metadata (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  deleted BOOLEAN,
  id INTEGER NOT NULL,
  volume_id VARCHAR(36),
  snapshot_id VARCHAR(36),
  "key" VARCHAR(255),
  value TEXT,
  PRIMARY KEY (id),
  CHECK (deleted IN (0, 1)),
  FOREIGN KEY(snapshot_id) REFERENCES snapshots (id),
  FOREIGN KEY(volume_id) REFERENCES volumes (id)
);

CREATE TABLE volume_metadata (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  deleted BOOLEAN,
  id INTEGER NOT NULL,
  volume_id VARCHAR(36) NOT NULL,
  "key" VARCHAR(255),
  value VARCHAR(255),
  PRIMARY KEY (id),
  FOREIGN KEY(volume_id) REFERENCES volumes (id)
);

CREATE TABLE volume_type_extra_specs (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  deleted BOOLEAN,
  id INTEGER NOT NULL,
  volume_type_id VARCHAR(36) NOT NULL,
  "key" VARCHAR(255),
  value VARCHAR(255),
  PRIMARY KEY (id),
  CONSTRAINT volume_type_extra_specs_ibfk_1 FOREIGN KEY(volume_type_id) REFERENCES volume_types (id)
);

CREATE TABLE volume_type_projects (
  id INTEGER NOT NULL,
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  volume_type_id VARCHAR(36),
  project_id VARCHAR(255),
  deleted INTEGER,
  PRIMARY KEY (id),
  FOREIGN KEY(volume_type_id) REFERENCES volume_types (id),
  UNIQUE (volume_type_id, project_id, deleted)
);

CREATE TABLE volume_types (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  deleted BOOLEAN,
  id VARCHAR(36) NOT NULL,
  name VARCHAR(255),
  qos_specs_id VARCHAR(36),
  is_public BOOLEAN,
  description VARCHAR(255),
  PRIMARY KEY (id),
  FOREIGN KEY(qos_specs_id) REFERENCES quality_of_service_specs (id)
);

CREATE TABLE "volumes" (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  deleted BOOLEAN,
  id VARCHAR(36) NOT NULL,
  ec2_id VARCHAR(255),
  user_id VARCHAR(255),
  project_id VARCHAR(255),
  host VARCHAR(255),
  size INTEGER,
  availability_zone VARCHAR(255),
  status VARCHAR(255),
  attach_status VARCHAR(255),
  scheduled_at DATETIME,
  launched_at DATETIME,
  terminated_at DATETIME,
  display_name VARCHAR(255),
  display_description VARCHAR(255),
  provider_location VARCHAR(256),
  provider_auth VARCHAR(256),
  snapshot_id VARCHAR(36),
  volume_type_id VARCHAR(36) NOT NULL,
  source_volid VARCHAR(36),
  bootable BOOLEAN,
  provider_geometry VARCHAR(255),
  _name_id VARCHAR(36),
  encryption_key_id VARCHAR(36),
  migration_status VARCHAR(255),
  replication_status VARCHAR(255),
  replication_extended_status VARCHAR(255),
  replication_driver_data VARCHAR(255),
  consistencygroup_id VARCHAR(36),
  provider_id VARCHAR(255),
  multiattach BOOLEAN,
  previous_status VARCHAR(255),
  cluster_name VARCHAR(255),
  group_id VARCHAR(36),
  service_uuid VARCHAR(36),
  shared_targets BOOLEAN,
  use_quota BOOLEAN DEFAULT 1 NOT NULL,
  PRIMARY KEY (id),
  FOREIGN KEY(consistencygroup_id) REFERENCES consistencygroups (id),
  FOREIGN KEY(group_id) REFERENCES groups (id),
  FOREIGN KEY(service_uuid) REFERENCES services (uuid)
);

CREATE TABLE workers (
  created_at DATETIME,
  updated_at DATETIME,
  deleted_at DATETIME,
  deleted BOOLEAN,
  id INTEGER NOT NULL,
  resource_type VARCHAR(40) NOT NULL,
  resource_id VARCHAR(36) NOT NULL,
  status VARCHAR(255) NOT NULL,
  service_id INTEGER,
  race_preventer INTEGER DEFAULT 0 NOT NULL,
  PRIMARY KEY (id),
  FOREIGN KEY(service_id) REFERENCES services (id),
  UNIQUE (resource_type, resource_id)
);

CREATE INDEX backups_deleted_project_id_idx ON backups (deleted, project_id);

CREATE INDEX group_snapshots_deleted_project_id_idx ON group_snapshots (deleted, project_id);

CREATE INDEX groups_deleted_project_id_idx ON groups (deleted, project_id);

CREATE INDEX ix_attachment_specs_attachment_id ON attachment_specs (attachment_id);

CREATE INDEX ix_backup_metadata_backup_id ON backup_metadata (backup_id);

CREATE INDEX ix_cgsnapshots_consistencygroup_id ON cgsnapshots (consistencygroup_id);

CREATE INDEX ix_default_volume_types_volume_type_id ON default_volume_types (volume_type_id);

CREATE INDEX ix_driver_initiator_data_initiator ON driver_initiator_data (initiator);

CREATE INDEX ix_group_snapshots_group_id ON group_snapshots (group_id);

CREATE INDEX ix_group_type_specs_group_type_id ON group_type_specs (group_type_id);

CREATE INDEX ix_group_volume_type_mapping_group_id ON group_volume_type_mapping (group_id);

CREATE INDEX ix_group_volume_type_mapping_volume_type_id ON group_volume_type_mapping (volume_type_id);

CREATE INDEX ix_image_volume_cache_entries_host ON image_volume_cache_entries (host);

CREATE INDEX ix_image_volume_cache_entries_image_id ON image_volume_cache_entries (image_id);

CREATE INDEX ix_messages_expires_at ON messages (expires_at);

CREATE INDEX ix_quality_of_service_specs_specs_id ON quality_of_service_specs (specs_id);

CREATE INDEX ix_quota_classes_class_name ON quota_classes (class_name);

CREATE INDEX ix_quota_usages_project_id ON quota_usages (project_id);

CREATE INDEX ix_reservations_allocated_id ON reservations (allocated_id);

CREATE INDEX ix_reservations_project_id ON reservations (project_id);

CREATE INDEX ix_reservations_usage_id ON reservations (usage_id);

CREATE INDEX ix_snapshot_metadata_snapshot_id ON snapshot_metadata (snapshot_id);

CREATE INDEX ix_snapshots_cgsnapshot_id ON snapshots (cgsnapshot_id);

CREATE INDEX ix_snapshots_group_snapshot_id ON snapshots (group_snapshot_id);

CREATE INDEX ix_snapshots_volume_id ON snapshots (volume_id);

CREATE INDEX ix_transfers_volume_id ON transfers (volume_id);

CREATE INDEX ix_volume_admin_metadata_volume_id ON volume_admin_metadata (volume_id);

CREATE INDEX ix_volume_attachment_volume_id ON volume_attachment (volume_id);

CREATE INDEX ix_volume_glance_metadata_snapshot_id ON volume_glance_metadata (snapshot_id);

CREATE INDEX ix_volume_glance_metadata_volume_id ON volume_glance_metadata (volume_id);

CREATE INDEX ix_volume_metadata_volume_id ON volume_metadata (volume_id);

CREATE INDEX ix_volume_type_extra_specs_volume_type_id ON volume_type_extra_specs (volume_type_id);

CREATE INDEX ix_volume_types_qos_specs_id ON volume_types (qos_specs_id);

CREATE INDEX ix_volumes_consistencygroup_id ON volumes (consistencygroup_id);

CREATE INDEX ix_volumes_group_id ON volumes (group_id);

CREATE INDEX ix_workers_service_id ON workers (service_id);

CREATE INDEX quota_usage_project_resource_idx ON quota_usages (project_id, resource);

CREATE INDEX reservations_deleted_expire_idx ON reservations (deleted, expire);

CREATE INDEX reservations_deleted_uuid_idx ON reservations (deleted, uuid);

CREATE UNIQUE INDEX services_uuid_idx ON services (uuid);

CREATE INDEX snapshots_deleted_project_id_idx ON snapshots (deleted, project_id);

CREATE INDEX volumes_deleted_host_idx ON volumes (deleted, host);

CREATE INDEX volumes_deleted_project_id_idx ON volumes (deleted, project_id);

CREATE INDEX volumes_service_uuid_idx ON volumes (service_uuid, deleted);
