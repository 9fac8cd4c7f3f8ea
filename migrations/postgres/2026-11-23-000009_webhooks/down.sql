DROP TABLE webhook_delivery;
DROP TABLE webhook_event;
DROP TABLE webhook_endpoint;

DELETE FROM schema_compatibility WHERE version = '20261123000009';
