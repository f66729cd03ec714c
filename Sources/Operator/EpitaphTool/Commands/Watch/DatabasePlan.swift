// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphHTTP
import EpitaphMinidump
import EpitaphService
import EpitaphSystem
import EpitaphUpload

/// The service's work for one database, with all files that the configuration names read.
struct DatabasePlan: Sendable {
    let path: String
    let options: WatchedOptions
    /// Whether a section names this path.
    let isNamed: Bool
    /// Nil if nothing is sent.
    let setup: UploadSetup?
    var readingGroupID: UInt32?

    var policy: PrunePolicy {
        var policy = PrunePolicy(
            maxAgeDays: options.maxReportDays, maxRecordCount: options.maxReports,
            maxDatabaseSizeMB: options.maxDatabaseMB)
        policy.sparesUnsent = true
        return policy
    }
}

/// A watched database, and where work on it is reported.
struct WatchedDatabase: Sendable {
    let plan: DatabasePlan
    let log: any ServiceEventSink
    let figures: ServiceFigures

    var path: String { plan.path }
    var field: (name: String, value: String) { ("EPITAPH_DATABASE", path) }

    /// Logs an event whose last field is the database.
    func record(
        _ message: ServiceMessage, _ priority: ServicePriority, _ sentence: String,
        _ fields: [(name: String, value: String)] = []
    ) {
        log.record(ServiceEvent(message, priority, sentence, fields: fields + [field]))
    }
}

/// Makes plans, and finds problems that show only when the named files are read.
struct PlanMaker {
    let configuration: ServiceConfiguration
    /// The configuration file.
    let path: String
    /// `CREDENTIALS_DIRECTORY`
    let credentials: String?
    /// Whether a pass waits for an unreachable server.
    let isPatient: Bool
    private(set) var problems: [ServiceProblem] = []

    /// The plan for a database, without unusable settings, which `problems` lists.
    mutating func plan(for database: String) -> DatabasePlan {
        let (options, places) = configuration.options(for: database)
        let before = problems.count
        var setup: UploadSetup?
        if let text = options.destination, options.uploadsEnabled != false {
            setup = self.setup(text, options, places)
        } else if options.destination == nil, options.uploadsEnabled == true {
            warn(places["uploads"], "nothing is sent from \(database): it has no destination")
        }
        var groupID: UInt32?
        if let group = options.readingGroup {
            trying(places["reading_group"]) { _ in
                groupID = GroupFile.id(of: group)
                if groupID == nil { throw UsageError("there is no group \(group) in /etc/group") }
            }
        }
        // One line may apply to many databases.
        let added = problems[before...].filter { !problems[..<before].contains($0) }
        problems = problems[..<before] + added
        return DatabasePlan(
            path: database, options: options, isNamed: configuration.names(database), setup: setup,
            readingGroupID: groupID)
    }

    private mutating func setup(
        _ text: String, _ options: WatchedOptions, _ places: [String: ServiceProblem.Place]
    ) -> UploadSetup? {
        var destinationOptions = DestinationOptions()
        if options.uploadTimeout > 0 {
            destinationOptions.timeLimits.total.inSeconds = options.uploadTimeout
        }
        if let headers = options.headersFile {
            trying(places["headers_file"]) { maker in
                let path = try maker.secret(headers, places["headers_file"]).path
                destinationOptions.headers = try HeaderOption.headers(inFile: path)
            }
        }
        var text = text
        let isKeyFine = trying(places["key_file"] ?? places["destination"]) { maker in
            guard let keyFile = options.keyFile else {
                guard !text.contains("{key}") else {
                    throw UsageError("the destination has {key}, and there is no key_file")
                }
                return
            }
            if text.contains("{key}") {
                let key = try maker.secret(keyFile, places["key_file"]).text()
                text = text.replacing("{key}", with: key)
            } else if text.hasPrefix("s3:") {
                // Read for each request, because such keys are renewed.
                destinationOptions.keysFile = try maker.secret(keyFile, nil).path
            } else {
                maker.warn(places["key_file"], "no {key} in the destination stands for the key")
            }
        }
        var made: (any ReportDestination)?
        if isKeyFine {
            trying(places["destination"]) { _ in
                made = try DestinationSpecification(text).destination(destinationOptions)
            }
        }
        let transport = self.transport(options, places)
        let scrubbing = self.scrubbing(options, places)
        guard let made, let transport, let scrubbing else { return nil }
        var rules = DeliveryRules()
        rules.limits.reportsPerMin = options.reportsPerMinute
        rules.limits.retryLimit = options.uploadRetries
        rules.attachmentLimitBytes = options.maxAttachmentBytes
        if !isPatient { rules.patienceSeconds = 0 }
        return UploadSetup(
            destination: made, transport: transport, rules: rules, scrubbing: scrubbing,
            sendsRegardless: options.uploadsEnabled == true,
            leavesOutAttachments: options.leavesOutAttachments)
    }

    private mutating func transport(
        _ options: WatchedOptions, _ places: [String: ServiceProblem.Place]
    ) -> TransportOptions? {
        var result = TransportOptions()
        result.caFile = options.caFile
        // Said now, and tried again for each connection: it may be put there later.
        if let file = options.caFile {
            trying(places["ca_file"]) { _ in try Self.checkPEM(SecretFile(file, credentials: nil)) }
        }
        let isFine = trying(places["client_certificate"]) { maker in
            guard let certificate = options.clientCertificate else {
                guard options.clientKeyFile == nil else {
                    throw UsageError("client_key_file needs client_certificate")
                }
                return
            }
            let file = try maker.secret(certificate, nil)
            let key = try options.clientKeyFile.map { text in
                try maker.secret(text, places["client_key_file"])
            }
            result.clientCertificate = ClientCertificate(
                certificateFile: file.path, keyFile: key?.path ?? file.path)
            maker.trying(places["client_certificate"]) { _ in try Self.checkPEM(file) }
            maker.trying(places["client_key_file"]) { _ in try key.map(Self.checkPEM) }
        }
        let isProxyFine = trying(places["proxy"]) { _ in
            switch options.proxy {
            case nil: break
            case "none": result.proxy = .none
            case let text?: result.proxy = .server(try ProxyServer(text))
            }
        }
        return isFine && isProxyFine ? result : nil
    }

    /// RFC 7468 2: text of other kinds may be before the first certificate.
    private static func checkPEM(_ file: SecretFile) throws {
        let text = String(decoding: try file.bytes(limit: mostCertificateBytes), as: UTF8.self)
        guard text.has("-----BEGIN ") else {
            throw SecretError("\(file.path) has no certificate and no key in PEM")
        }
    }

    /// A bundle of all authorities has some 250 KiB.
    private static let mostCertificateBytes = 4 << 20

    private mutating func scrubbing(
        _ options: WatchedOptions, _ places: [String: ServiceProblem.Place]
    ) -> ScrubbingRules? {
        var rules = ScrubbingRules()
        let isFine = trying(places["scrub_rules"]) { _ in
            guard let path = options.scrubRules else { return }
            rules = try ScrubbingRules(
                json: try FileBytes.contents(of: realPath(of: path)), path: path)
        }
        return isFine ? rules : nil
    }

    /// A secret file; warns if others may read it.
    private mutating func secret(
        _ text: String, _ place: ServiceProblem.Place?
    ) throws -> SecretFile {
        let file = try SecretFile(text, credentials: credentials)
        if place != nil, let warning = file.warning { warn(place, warning) }
        return file
    }

    private mutating func warn(_ place: ServiceProblem.Place?, _ sentence: String) {
        problems.append(
            ServiceProblem(place ?? .init(file: path), sentence, isWarning: true))
    }

    @discardableResult
    private mutating func trying(
        _ place: ServiceProblem.Place?, _ body: (inout PlanMaker) throws -> Void
    ) -> Bool {
        do {
            try body(&self)
            return true
        } catch {
            problems.append(ServiceProblem(place ?? .init(file: path), "\(error)"))
            return false
        }
    }
}
