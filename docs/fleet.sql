-- SPDX-License-Identifier: Apache-2.0
--
-- Tables and queries that docs/fleet.md describes. Copy what you need into any ClickHouse client, and put your program
-- and your times into the queries.

-- The table for Debian 12's server, which lacks maps and TTL.
-- table: debian
CREATE TABLE crashes
(
    id UUID,
    time DateTime('UTC'),
    microseconds UInt32,
    host String,
    program String,
    version String,
    build_id String,
    signature String,
    signature_id String,
    kind String,
    signal String,
    function String,
    frames Array(String),
    annotations Nested(name String, value String),
    arrived DateTime('UTC') DEFAULT inserted,
    inserted DateTime DEFAULT now()
)
ENGINE = ReplacingMergeTree(inserted)
PARTITION BY toMonday(time)
ORDER BY (toStartOfHour(time), id);

-- The rows whose time cannot be true. Every query leaves them out.
-- doubtful: both
CREATE VIEW doubtful AS
SELECT id, time, arrived, host, program, version, kind, signature
FROM crashes
GLOBAL ANY LEFT JOIN
(
    SELECT
        program,
        version,
        min(toUnixTimestamp(time)) AS released,
        argMin(host, toUnixTimestamp(time)) AS first_host
    FROM crashes
    WHERE toUnixTimestamp(time) >= 1686355200
        AND NOT (toUnixTimestamp(arrived) >= 1686355200
            AND toUnixTimestamp(time) > toUnixTimestamp(arrived) + 3600)
        AND toUnixTimestamp(arrived) <= toUnixTimestamp(time) + 86400
    GROUP BY program, version
) AS releases
USING (program, version)
WHERE toUnixTimestamp(time) < 1686355200
    OR (toUnixTimestamp(arrived) >= 1686355200 AND toUnixTimestamp(time) > toUnixTimestamp(arrived) + 3600)
    OR (toUnixTimestamp(arrived) > toUnixTimestamp(time) + 86400
        AND host != first_host
        AND toUnixTimestamp(time) + 86400 < released);

-- Several servers: on each, with `fleet`, a cluster of the servers' configuration (remote_servers).
-- shards: both
RENAME TABLE crashes TO crashes_shard;

CREATE TABLE crashes AS crashes_shard
ENGINE = Distributed(fleet, default, crashes_shard, sipHash64(toString(id)));

-- How long programs ran.
-- hours: both
CREATE TABLE host_hours
(
    time DateTime('UTC'),
    host String,
    program String,
    hours Float64,
    inserted DateTime DEFAULT now()
)
ENGINE = ReplacingMergeTree(inserted)
PARTITION BY toMonday(time)
ORDER BY (time, program, host);

-- Counts for dashboards. With several servers the view reads crashes_shard and fills crash_counts_shard.
-- counts: both
CREATE TABLE crash_counts
(
    hour DateTime('UTC'),
    program String,
    version String,
    kind String,
    signature_id String,
    signature String,
    crashes AggregateFunction(uniqExact, UUID),
    hosts AggregateFunction(uniqExact, String)
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(hour)
ORDER BY (hour, program, kind, signature_id, signature, version);

CREATE MATERIALIZED VIEW crash_counts_of_rows TO crash_counts AS
SELECT
    toStartOfHour(time) AS hour,
    toString(program) AS program,
    toString(version) AS version,
    toString(kind) AS kind,
    toString(signature_id) AS signature_id,
    toString(signature) AS signature,
    uniqExactState(id) AS crashes,
    uniqExactState(toString(host)) AS hosts
FROM crashes
WHERE toUnixTimestamp(time) >= 1686355200 AND toUnixTimestamp(time) <= toUnixTimestamp(arrived) + 3600
GROUP BY hour, program, version, kind, signature_id, signature;

-- The counts of several servers.
-- counts: shards
RENAME TABLE crash_counts TO crash_counts_shard;

CREATE TABLE crash_counts AS crash_counts_shard
ENGINE = Distributed(fleet, default, crash_counts_shard, rand());

-- Repairs the counts of a month, on each shard.
-- counts: again
ALTER TABLE crash_counts DROP PARTITION 202611;

INSERT INTO crash_counts
SELECT
    toStartOfHour(time) AS hour,
    toString(program) AS program,
    toString(version) AS version,
    toString(kind) AS kind,
    toString(signature_id) AS signature_id,
    toString(signature) AS signature,
    uniqExactState(id) AS crashes,
    uniqExactState(toString(host)) AS hosts
FROM crashes FINAL
WHERE toYYYYMM(time) = 202611 AND id GLOBAL NOT IN (SELECT id FROM doubtful)
GROUP BY hour, program, version, kind, signature_id, signature;

-- Drops a week, on each shard.
-- retention: both
ALTER TABLE crashes DROP PARTITION '2026-10-26';

-- question: new-since
SELECT
    program,
    signature,
    if(countIf(arrived <= time + 86400) > 0, minIf(time, arrived <= time + 86400), min(time)) AS first,
    count() AS crashes,
    uniqExact(host) AS hosts
FROM crashes FINAL
WHERE kind = 'crash' AND id GLOBAL NOT IN (SELECT id FROM doubtful)
GROUP BY program, signature
HAVING first >= toDateTime('2026-11-17 12:00:00', 'UTC')
ORDER BY crashes DESC, program, signature
LIMIT 50;

-- question: regressions
SELECT
    program,
    signature,
    releases[places[gap]] AS last_seen_in,
    releases[places[gap] + 1] AS gone_in,
    releases[places[gap + 1]] AS back_in,
    crashes,
    totals[places[gap] + 1] AS others
FROM
(
    SELECT
        program,
        signature,
        releases,
        totals,
        sum(count) AS crashes,
        arraySort(groupArray(indexOf(releases, version))) AS places,
        arrayFilter(i -> places[i + 1] > places[i] + 1, arrayEnumerate(places))[-1] AS gap
    FROM
    (
        SELECT program, signature, version, count() AS count
        FROM crashes FINAL
        WHERE kind = 'crash' AND id GLOBAL NOT IN (SELECT id FROM doubtful)
        GROUP BY program, signature, version
    ) AS seen
    ANY LEFT JOIN
    (
        SELECT
            program,
            arraySort(groupArray((first, version, count))) AS sorted,
            arrayMap(release -> tupleElement(release, 2), sorted) AS releases,
            arrayMap(release -> tupleElement(release, 3), sorted) AS totals
        FROM
        (
            SELECT
                program,
                version,
                if(countIf(arrived <= time + 86400) > 0, minIf(time, arrived <= time + 86400), min(time)) AS first,
                count() AS count
            FROM crashes FINAL
            WHERE kind = 'crash' AND id GLOBAL NOT IN (SELECT id FROM doubtful)
            GROUP BY program, version
        )
        GROUP BY program
    ) AS released
    USING (program)
    GROUP BY program, signature, releases, totals
)
WHERE gap > 0
ORDER BY crashes DESC, program, signature
LIMIT 20;

-- question: back-this-week
SELECT
    program,
    signature,
    releases[places[gap] + 1] AS gone_in,
    releases[places[gap + 1]] AS back_in,
    arraySum(arraySlice(counts, 1, gap)) AS seen,
    arraySum(arraySlice(totals, 1, places[gap])) AS among,
    arraySum(arraySlice(totals, places[gap] + 1, places[gap + 1] - places[gap] - 1)) AS others
FROM
(
    SELECT
        program,
        signature,
        releases,
        totals,
        arraySort(groupArray((indexOf(releases, version), count, first_late))) AS all,
        arrayMap(one -> tupleElement(one, 1), all) AS places,
        arrayMap(one -> tupleElement(one, 2), all) AS counts,
        arrayMap(one -> tupleElement(one, 3), all) AS firsts,
        arrayFilter(i -> places[i + 1] > places[i] + 1, arrayEnumerate(places))[-1] AS gap
    FROM
    (
        SELECT
            program,
            signature,
            version,
            count() AS count,
            min((arrived > time + 86400) * 4294967296 + toUnixTimestamp(time)) AS first_late
        FROM crashes FINAL
        WHERE kind = 'crash' AND id GLOBAL NOT IN (SELECT id FROM doubtful)
        GROUP BY program, signature, version
    ) AS seen_in
    ANY LEFT JOIN
    (
        SELECT
            program,
            arraySort(groupArray((first, version, count))) AS sorted,
            arrayMap(release -> tupleElement(release, 2), sorted) AS releases,
            arrayMap(release -> tupleElement(release, 3), sorted) AS totals
        FROM
        (
            SELECT
                program,
                version,
                if(countIf(arrived <= time + 86400) > 0, minIf(time, arrived <= time + 86400), min(time)) AS first,
                count() AS count
            FROM crashes FINAL
            WHERE kind = 'crash' AND id GLOBAL NOT IN (SELECT id FROM doubtful)
            GROUP BY program, version
        )
        GROUP BY program
    ) AS released
    USING (program)
    GROUP BY program, signature, releases, totals
)
WHERE gap > 0
    AND arrayReduce('min', arraySlice(firsts, gap + 1)) % 4294967296 >= toUnixTimestamp(toDateTime('2026-11-16 00:00:00', 'UTC'))
    AND seen * log((among + others) / among) > log(100 *
        (
            SELECT uniqExact(program, signature)
            FROM crashes FINAL
            WHERE kind = 'crash' AND time >= toDateTime('2026-11-16 00:00:00', 'UTC')
                AND id GLOBAL NOT IN (SELECT id FROM doubtful)
        ))
ORDER BY seen DESC, program, signature
LIMIT 20;

-- question: worse-this-week
SELECT
    program,
    signature,
    sum(one_crashes) AS crashes,
    sum(one_crashes_before) AS crashes_before,
    sum(one_hours) - max(one_hours) AS hours,
    sum(one_hours_before) - argMax(one_hours_before, toInt64(one_hours) * 4294967296 - one_hours_before) AS hours_before,
    hours * log(2 * hours / (hours + hours_before))
        + if(hours_before = 0, 0, hours_before * log(2 * hours_before / (hours + hours_before))) AS evidence
FROM
(
    SELECT
        program,
        signature,
        host,
        countIf(time >= toDateTime('2026-11-16 00:00:00', 'UTC')) AS one_crashes,
        count() - one_crashes AS one_crashes_before,
        uniqExactIf(toStartOfHour(time), time >= toDateTime('2026-11-16 00:00:00', 'UTC')) AS one_hours,
        uniqExact(toStartOfHour(time)) - one_hours AS one_hours_before
    FROM crashes FINAL
    WHERE kind = 'crash' AND time >= toDateTime('2026-11-09 00:00:00', 'UTC')
        AND time < toDateTime('2026-11-23 00:00:00', 'UTC')
        AND id GLOBAL NOT IN (SELECT id FROM doubtful)
    GROUP BY program, signature, host
)
GROUP BY program, signature
HAVING crashes_before > 0 AND hours > hours_before
    AND evidence > log(100 *
        (
            SELECT uniqExact(program, signature)
            FROM crashes FINAL
            WHERE kind = 'crash' AND time >= toDateTime('2026-11-16 00:00:00', 'UTC')
                AND time < toDateTime('2026-11-23 00:00:00', 'UTC')
                AND id GLOBAL NOT IN (SELECT id FROM doubtful)
        ))
ORDER BY crashes DESC, program, signature
LIMIT 20;

-- question: memory-errors
SELECT
    extract(signature, '^(?:handled-error )?([a-z-]+)') AS error,
    count() AS reports,
    uniqExact(host) AS hosts,
    uniqExact(program, signature) AS signatures
FROM crashes FINAL
WHERE error IN ('use-after-free', 'heap-out-of-bounds', 'double-free', 'invalid-free', 'heap-overwrite')
    AND time >= toDateTime('2026-11-16 00:00:00', 'UTC')
    AND id GLOBAL NOT IN (SELECT id FROM doubtful)
GROUP BY error
ORDER BY reports DESC, error;

-- question: rates
SELECT program, crashes, hours, round(1000 * crashes / hours, 3) AS crashes_per_1000_hours
FROM
(
    SELECT program, count() AS crashes
    FROM crashes FINAL
    WHERE kind = 'crash' AND time >= toDateTime('2026-11-16 00:00:00', 'UTC')
        AND time < toDateTime('2026-11-23 00:00:00', 'UTC')
        AND id GLOBAL NOT IN (SELECT id FROM doubtful)
    GROUP BY program
) AS crashed
ANY INNER JOIN
(
    SELECT program, round(sum(hours), 3) AS hours
    FROM host_hours FINAL
    WHERE time >= toDateTime('2026-11-16 00:00:00', 'UTC') AND time < toDateTime('2026-11-23 00:00:00', 'UTC')
    GROUP BY program
) AS ran
USING (program)
ORDER BY program;

-- question: hosts-affected
SELECT program, signature, uniqExact(host) AS hosts, count() AS crashes, round(crashes / hosts, 2) AS crashes_per_host
FROM crashes FINAL
WHERE kind = 'crash' AND time >= toDateTime('2026-11-16 00:00:00', 'UTC')
    AND id GLOBAL NOT IN (SELECT id FROM doubtful)
GROUP BY program, signature
ORDER BY hosts DESC, crashes DESC, program, signature
LIMIT 20;

-- question: sick-hosts
SELECT host, count() AS crashes, uniqExact(program) AS programs, uniqExact(signature) AS signatures
FROM crashes FINAL
WHERE kind = 'crash' AND time >= toDateTime('2026-11-16 00:00:00', 'UTC')
    AND id GLOBAL NOT IN (SELECT id FROM doubtful)
GROUP BY host
ORDER BY signatures DESC, crashes DESC, host
LIMIT 10;

-- question: wrong-clocks
SELECT host, uniqExact(id) AS reports, min(time) AS earliest, max(time) AS latest
FROM doubtful
GROUP BY host
ORDER BY reports DESC, host
LIMIT 20;

-- question: crash-free-hours
SELECT
    program,
    168 - uniqExact(toStartOfHour(time)) AS hours_without_a_crash_anywhere,
    uniqExact(host, toStartOfHour(time)) AS machine_hours_with_crashes,
    round(100 * (1 - machine_hours_with_crashes / (2000 * 168)), 3) AS crash_free_machine_hours_percent
FROM crashes FINAL
WHERE kind = 'crash'
    AND time >= toDateTime('2026-11-16 00:00:00', 'UTC')
    AND time < toDateTime('2026-11-23 00:00:00', 'UTC')
    AND id GLOBAL NOT IN (SELECT id FROM doubtful)
GROUP BY program
ORDER BY program;

-- question: host-history
SELECT time, microseconds, program, version, kind, signal, signature, id
FROM crashes FINAL
WHERE host = 'web-0042'
ORDER BY time DESC, microseconds DESC, id
LIMIT 100;

-- question: counts-per-hour
SELECT hour, uniqExactMerge(crashes) AS crashes, uniqExactMerge(hosts) AS hosts
FROM crash_counts
WHERE program = 'exampled' AND kind = 'crash' AND hour >= toDateTime('2026-11-16 00:00:00', 'UTC')
GROUP BY hour
ORDER BY hour;

-- question: annotations for current
SELECT annotations['region'] AS region, count() AS crashes
FROM crashes FINAL
WHERE program = 'exampled' AND time >= toDateTime('2026-11-16 00:00:00', 'UTC')
    AND id GLOBAL NOT IN (SELECT id FROM doubtful)
GROUP BY region
ORDER BY crashes DESC, region
LIMIT 20;

-- question: annotations for debian
SELECT annotations.value[indexOf(annotations.name, 'region')] AS region, count() AS crashes
FROM crashes FINAL
WHERE program = 'exampled' AND time >= toDateTime('2026-11-16 00:00:00', 'UTC')
    AND id GLOBAL NOT IN (SELECT id FROM doubtful)
GROUP BY region
ORDER BY crashes DESC, region
LIMIT 20;
