// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphUpload
import EpitaphValues

extension Epitaph {
    /// Backtrace's server of metrics, for its widgets: who ran the program, and how often what
    /// happened. docs/destinations.md has the names.
    public struct BacktraceEventDestination: EventDestination {
        private let unique: RequestTemplate
        private let summed: RequestTemplate

        /// - Parameters:
        ///   - universe: as of `backtrace:UNIVERSE/TOKEN`, where the crashes go.
        ///   - token: the same as well.
        ///   - server: another one than Backtrace's own.
        /// - Throws: if one of them is malformed.
        public init(
            universe: String, token: String, server: String = "https://events.backtrace.io"
        ) throws(SettingError) {
            _ = try BacktraceDestination(universe: universe, token: token)
            func template(_ kind: String) throws(SettingError) -> RequestTemplate {
                let query = "universe=\(universe)&token=\(token)"
                return try RequestTemplate(.post, url: "\(server)/api/\(kind)/submit?\(query)")
            }
            unique = try template("unique-events")
            summed = try template("summed-events")
        }

        public var server: String { summed.server }

        /// The summed events alone, of one version of the program.
        public func request(
            body: any BodySource, id: Epitaph.ID
        ) throws(TransportError) -> UploadRequest {
            try Self.request(summed, BacktraceEvents(Self.events(in: body)).summed().first ?? [])
        }

        /// Unique ones come first: sent again, they count the same.
        public func requests(
            body: any BodySource, id: Epitaph.ID
        ) throws(TransportError) -> [UploadRequest] {
            let events = BacktraceEvents(try Self.events(in: body))
            var requests: [UploadRequest] = []
            for body in events.unique() { requests.append(try Self.request(unique, body)) }
            for body in events.summed() { requests.append(try Self.request(summed, body)) }
            return requests
        }
    }
}

/// Events as bodies for Backtrace, one for each version of a program. Sources:
/// MetricsSubmissionQueue, SummedEvent and UniqueEvent of backtrace-labs/backtrace-javascript and
/// backtrace-labs/backtrace-cocoa.
struct BacktraceEvents {
    private struct Program: Hashable {
        let name: String
        let version: String
    }

    private let byProgram: [(program: Program, events: [Event])]

    init(_ events: [Event]) {
        let groups = Dictionary(grouping: events) {
            Program(name: $0.context.program ?? "", version: $0.context.version ?? "")
        }
        byProgram = groups.map { (program: $0.key, events: $0.value) }.sorted {
            ($0.program.name, $0.program.version) < ($1.program.name, $1.program.version)
        }
    }

    /// Who ran the program: one for each start and session of a known installation or user.
    func unique() -> [[UInt8]] {
        bodies("unique_events") { event in
            switch event.payload {
            case .sessionStarted: break
            case .lifecycle(let details) where details.phase == .started: break
            default: return nil
            }
            return event.guid == nil ? nil : ["unique": .list([.text("guid")])]
        }
    }

    func summed() -> [[UInt8]] {
        bodies("summed_events") { event in
            event.group.map { ["metric_group": .text($0)] }
        }
    }

    private func bodies(
        _ list: String, _ members: (Event) -> [String: JSONValue]?
    ) -> [[UInt8]] {
        byProgram.compactMap { program, events in
            let items = events.compactMap { event -> JSONValue? in
                guard var item = members(event) else { return nil }
                // Seconds.
                item["timestamp"] = .integer(Int64(event.time.secondsSince1970))
                item["attributes"] = .object(event.attributes)
                return .object(item)
            }
            guard !items.isEmpty else { return nil }
            let dropped = events.reduce(UInt64(0)) { sum, event in
                guard case .eventsDropped(let details) = event.payload else { return sum }
                return details.counts.values.reduce(sum) { $0 &+ $1 }
            }
            let body = JSONValue.object([
                "application": .text(program.name), "appversion": .text(program.version),
                "metadata": .object(["dropped_events": .integer(Int64(clamping: dropped))]),
                list: .list(items),
            ])
            return try? body.bytes()
        }
    }
}

extension Event {
    /// What Backtrace counts clients by.
    fileprivate var guid: String? { context.deviceID?.description ?? context.user?.id }

    /// Nil for lines, requests, steps and figures, which are not single events.
    fileprivate var group: String? {
        switch payload {
        case .lifecycle(let details): details.phase == .started ? "Application Launches" : nil
        case .custom(let details): details.name
        case .sessionStarted, .sessionEnded, .crash, .handledError, .hang, .memoryWarning:
            type.rawValue
        default: nil
        }
    }

    fileprivate var attributes: [String: JSONValue] {
        var attributes = context.tags.mapValues { JSONValue.text($0) }
        if case .custom(let details) = payload {
            attributes.merge(details.properties.mapValues(\.json)) { $1 }
        }
        attributes["application"] = context.program.map { .text($0) }
        attributes["application.version"] = context.version.map { .text($0) }
        attributes["application.session"] = sessionID.map { .text($0.description) }
        attributes["environment"] = context.environment.map { .text($0) }
        attributes["guid"] = guid.map { .text($0) }
        return attributes
    }
}
