// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import FoundationEssentials

@testable import Epitaph
@testable import EpitaphConversion
@testable import EpitaphDatabase
@testable import EpitaphEvents
@testable import EpitaphSystem

/// What reads the files that the client keeps, and what operators, the kernel and programs give it.
enum ClientParsers {
    /// What a database remembers of launches and programs, and what the machine says of their ends.
    static func launches(_ bytes: ByteSlice) {
        let array = bytes.array
        _ = LaunchFile.laterVersion(array)
        if let launches = LaunchFile.launches(array) {
            expectSame(launches, LaunchFile.bytes(launches).flatMap(LaunchFile.launches))
            for (earlier, later) in zip(launches, launches.dropFirst()) {
                _ = (earlier.runTime, later.followed(earlier), LaunchEnding(later.end))
                if earlier.isSameLaunch(as: later) { _ = earlier.merged(with: later) }
                _ = (EarlierLaunch(earlier), later.end.words)
            }
        }
        _ = ProgramSettings(array).bytes
        _ = WantedAttachments(json: array)
        _ = OutOfMemoryCounts(bytes.text)
        let events = WtmpEvent.events(array)
        _ = WtmpEvent.restart(in: events, after: Timestamp(secondsSince1970: 1_700_000_000))
        _ = KernelMessage(record: array)
    }

    static func breadcrumbFile(_ bytes: ByteSlice) {
        _ = try? BreadcrumbFile(bytes)
        // Nothing but the checksums keeps most inputs from being read.
        guard let file = try? BreadcrumbFile(ByteSlice(BreadcrumbSums.mended(bytes.array))) else {
            return
        }
        _ = EarlierBreadcrumbs(file)
    }

    static func events(_ bytes: ByteSlice) {
        for line in bytes.array.split(separator: 10) {
            guard let event = Event(line: line), let again = event.line() else { continue }
            expectSame(event.line(), Event(line: again)?.line())
            _ = event.payload.details.byteCount
        }
        if let batch = EventBatch(name: bytes.text) { expectSame(batch.name, bytes.text) }
    }

    static func sessions(_ bytes: ByteSlice) {
        var history = SessionHistory()
        var running: [SessionRecord] = []
        for line in bytes.array.split(separator: 10) {
            if let record = JSONFile.value(SessionRecord.self, line) {
                history.add(record, bundleID: "org.example.fuzzed")
                _ = (record.day, record.line)
            }
            if let launch = JSONFile.value(RunningLaunch.self, line) {
                for ending in LaunchEnding.allCases { _ = launch.record(ending) }
                if let session = launch.session { running.append(session) }
            }
        }
        let statistics = SessionStatistics(
            history, running: ["org.example.fuzzed": running], days: 30)
        _ = PrometheusText(statistics).text
    }

    static func configuration(_ bytes: ByteSlice) {
        let configuration = Epitaph.Configuration(
            databasePath: "/nowhere", bundleID: "org.example.fuzzed")
        let (changed, problems) = configuration.applying(lines: bytes.array, of: "fuzzed.conf")
        for problem in problems { _ = problem.description }
        for key in Epitaph.Configuration.keys { _ = key.name }
        _ = changed.destination.map { try? DestinationSpecification($0) }
        let pairs = bytes.array.split(separator: 10).compactMap { line -> (String, String)? in
            let parts = String(decoding: line, as: UTF8.self).split(
                separator: "=", maxSplits: 1)
            return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
        }
        _ = configuration.applying(
            environment: Dictionary(pairs, uniquingKeysWith: { first, _ in first }))
    }

    /// What the kernel sends, and what programs say of requests and lines of a log.
    static func messages(_ bytes: ByteSlice) {
        var table = LinkTable()
        for message in LinkMessage.all(in: bytes.array) { _ = table.event(for: message) }
        var supplies = PowerSupplies()
        _ = supplies.event(for: PowerSupplies.properties(of: bytes.array))
        let text = bytes.text
        var options = RequestMonitorOptions()
        for parts in [RequestMonitorOptions.URLParts.server, .path, .queryNames] {
            options.urlParts = parts
            _ = RequestMasking(options).url(text)
        }
        let (pattern, line) = text.splitAtFirstLine
        _ = GlobPattern(String(pattern.prefix(256))).matches(String(line.prefix(512)))
    }

    private static func expectSame<Value: Equatable>(_ one: Value, _ other: Value?) {
        guard one == other else { fatalError("what was written is read as something else") }
    }
}

extension String {
    fileprivate var splitAtFirstLine: (String, String) {
        let parts = split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
        return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
    }
}
