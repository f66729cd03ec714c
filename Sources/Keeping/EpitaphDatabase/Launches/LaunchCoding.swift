// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

/// The launches of a program as JSON: docs/database.md, "Launches".
enum LaunchFile {
    static let version: Int64 = 1

    static func bytes(_ launches: [RecordedLaunch]) -> [UInt8]? {
        JSONValue.bytes([
            "version": .integer(version), "launches": .list(launches.map { .object($0.fields) }),
        ])
    }

    /// Nil if the bytes are not such a file. A launch without an id or a time is skipped.
    static func launches(_ bytes: [UInt8]) -> [RecordedLaunch]? {
        guard let fields = JSONValue.object(bytes), case .list(let list)? = fields["launches"]
        else { return nil }
        return list.compactMap(RecordedLaunch.init)
    }

    static func laterVersion(_ bytes: [UInt8]) -> Int? {
        guard case .integer(let found)? = JSONValue.object(bytes)?["version"], found > version
        else { return nil }
        return Int(clamping: found)
    }
}

extension RecordedLaunch {
    fileprivate var fields: [String: JSONValue] {
        var fields: [String: JSONValue] = [
            "id": .text(id.fileStem), "pid": .integer(Int64(process.processID)),
            "start_ticks": .number(process.startTicks), "last_sign_us": .time(lastSign),
            "pid_namespace": .number(process.pidNamespace), "end": .text(end.code),
        ]
        fields["boot_id"] = process.bootID.map { .text($0.fileStem) }
        fields["start_us"] = start.map { .time($0) }
        fields["report"] = end.report.map { .text($0.fileStem) }
        if case .signalled(let signal) = end { fields["signal"] = .integer(Int64(signal.rawValue)) }
        if case .outOfMemory(let isCertain) = end { fields["certain"] = .boolean(isCertain) }
        fields["evidence"] = evidence.map { .text($0) }
        if !displacedSignals.isEmpty {
            fields["displaced_signals"] = .list(
                displacedSignals.map { .integer(Int64($0.rawValue)) })
        }
        fields["breadcrumbs"] = breadcrumbs.map { .text($0.fileStem) }
        let flags = [
            "memory_warning": hadMemoryWarning, "child": isChild, "told": isTold,
            "lacks_attachments": lacksAttachments,
        ]
        for (name, isSet) in flags where isSet { fields[name] = .boolean(true) }
        return fields
    }

    fileprivate init?(_ value: JSONValue) {
        guard let id = value["id"]?.uuid, let lastSign = value["last_sign_us"]?.date else {
            return nil
        }
        let process = ProcessIdentity(
            processID: Int32(clamping: value["pid"]?.whole ?? 0),
            startTicks: value["start_ticks"]?.unsigned ?? 0,
            pidNamespace: value["pid_namespace"]?.unsigned ?? 0, bootID: value["boot_id"]?.uuid)
        self.init(
            id: id, process: process, start: value["start_us"]?.date,
            end: LaunchEnd(fields: value), lastSign: lastSign, evidence: value["evidence"]?.string)
        if case .list(let signals)? = value["displaced_signals"] {
            displacedSignals = signals.compactMap { $0.whole.map(Signal.init(clamping:)) }
        }
        breadcrumbs = value["breadcrumbs"]?.uuid
        hadMemoryWarning = value["memory_warning"] == .boolean(true)
        isChild = value["child"] == .boolean(true)
        isTold = value["told"] == .boolean(true)
        lacksAttachments = value["lacks_attachments"] == .boolean(true)
    }
}

extension LaunchEnd {
    /// The word in files and events.
    package var code: String {
        switch self {
        case .crashed: "crash"
        case .cleanly: "clean"
        case .signalled: "signal"
        case .outOfMemory: "out-of-memory"
        case .exec: "exec"
        case .killed: "killed"
        case .ofReportedCrash: "after-crash"
        case .shutdown: "shutdown"
        case .powerLoss: "power-loss"
        case .lostToReboot: "restart"
        case .unknown: "unknown"
        }
    }

    /// An end that only newer versions know becomes unknown.
    fileprivate init(fields: JSONValue) {
        switch fields["end"]?.string {
        case "crash": self = .crashed(report: fields["report"]?.uuid)
        case "clean": self = .cleanly
        case "signal": self = .signalled(Signal(clamping: fields["signal"]?.whole ?? 0))
        case "out-of-memory": self = .outOfMemory(isCertain: fields["certain"] == .boolean(true))
        case "exec": self = .exec
        case "killed": self = .killed
        case "after-crash": self = .ofReportedCrash
        case "shutdown": self = .shutdown
        case "power-loss": self = .powerLoss
        case "restart": self = .lostToReboot
        default: self = .unknown
        }
    }
}

extension Signal {
    fileprivate init(clamping number: Int64) { self.init(rawValue: Int32(clamping: number)) }
}

extension JSONValue {
    fileprivate static func time(_ date: Timestamp) -> JSONValue {
        .integer(date.wholeMicroseconds ?? 0)
    }

    /// The kernel's numbers have 64 bits, but none of these uses the highest one.
    fileprivate static func number(_ value: UInt64) -> JSONValue {
        .integer(Int64(clamping: value))
    }

    fileprivate var uuid: Epitaph.ID? { string.flatMap { Epitaph.ID(fileStem: $0) } }

    fileprivate var unsigned: UInt64? { whole.map { UInt64(clamping: $0) } }

    fileprivate var date: Timestamp? { whole.map { Timestamp(wholeMicroseconds: $0) } }
}
