// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphMinidump
import EpitaphSystem
import EpitaphUpload
import EpitaphValues

/// Where and how `upload` sends, from the command line.
struct UploadSetup {
    let destination: any ReportDestination
    let transport: TransportOptions
    let rules: DeliveryRules
    let scrubbing: ScrubbingRules
    var attachedPaths: [String] = []
    let sendsRegardless: Bool
    let leavesOutAttachments: Bool

    var attachments: [OutgoingAttachment] {
        attachedPaths.map { OutgoingAttachment(filePath: $0) }
    }
}

extension UploadSetup {

    /// Nil if nothing is to be sent.
    init?(
        _ arguments: ParsedArguments, headers: [(name: String, value: String)]
    ) throws {
        guard !arguments.has(UploadOptions.disable) else { return nil }
        guard let text = arguments.value(of: UploadOptions.url) else {
            let isWish =
                arguments.has(UploadOptions.enable) || arguments.has(UploadOptions.request)
            guard isWish, !arguments.has(UploadOptions.watch) else {
                throw UsageError(
                    "\(UploadOptions.url.synopsis) is missing (or set EPITAPH_UPLOAD_URL)")
            }
            return nil
        }
        destination = try Self.destination(text, arguments, headers)
        transport = try Self.transport(arguments)
        rules = Self.rules(arguments)
        scrubbing = try Self.scrubbing(arguments)
        attachedPaths = arguments.values(of: UploadOptions.attach)
        sendsRegardless = arguments.has(UploadOptions.once)
        leavesOutAttachments = arguments.has(UploadOptions.withoutAttachments)
    }

    private static func destination(
        _ text: String, _ arguments: ParsedArguments, _ headers: [(name: String, value: String)]
    ) throws(SettingError) -> any ReportDestination {
        var options = DestinationOptions()
        if arguments.has(UploadOptions.noCompression) { options.compression = .none }
        if let seconds = arguments.value(of: UploadOptions.timeout).flatMap(Double.init) {
            options.timeLimits.total.inSeconds = seconds
        }
        options.headers = headers
        return try DestinationSpecification(text).destination(options)
    }

    private static func transport(_ arguments: ParsedArguments) throws -> TransportOptions {
        var options = TransportOptions()
        options.caFile = arguments.value(of: .caFile)
        if let certificate = arguments.value(of: UploadOptions.clientCertificate) {
            options.clientCertificate = ClientCertificate(
                certificateFile: certificate,
                keyFile: arguments.value(of: UploadOptions.clientKey) ?? certificate)
        } else if arguments.has(UploadOptions.clientKey) {
            throw UsageError("--client-key needs --client-cert")
        }
        switch arguments.value(of: UploadOptions.proxy) {
        case nil: break
        case "none": options.proxy = .none
        case let text?: options.proxy = .server(try ProxyServer(text))
        }
        return options
    }

    private static func rules(_ arguments: ParsedArguments) -> DeliveryRules {
        var rules = DeliveryRules()
        func number(_ option: OptionDescription) -> Int? {
            arguments.value(of: option).flatMap { Int($0) }
        }
        if let count = number(UploadOptions.reportsPerMin) { rules.limits.reportsPerMin = count }
        if let count = number(UploadOptions.retryLimit) { rules.limits.retryLimit = count }
        if let seconds = arguments.value(of: UploadOptions.retryInterval).flatMap(Double.init) {
            rules.limits.retryInterval = seconds
        }
        if let order = arguments.value(of: UploadOptions.retryOrder) {
            rules.limits.retryOrder = UploadLimits.RetryOrder(rawValue: order) ?? .queue
        }
        // A requested report is sent now.
        rules.ignoresSchedule =
            arguments.has(UploadOptions.now) || arguments.has(UploadOptions.request)
        // A single run does not wait for a network or server; the next run retries.
        if !arguments.has(UploadOptions.watch) { rules.patienceSeconds = 0 }
        return rules
    }

    private static func scrubbing(_ arguments: ParsedArguments) throws -> ScrubbingRules {
        var rules = ScrubbingRules()
        if let path = arguments.value(of: UploadOptions.scrubbingRules) {
            rules = try ScrubbingRules(
                json: try FileBytes.contents(of: realPath(of: path)), path: path)
        }
        for (option, description) in UploadOptions.scrubbing where arguments.has(description) {
            for value in arguments.values(of: description) {
                try rules.apply(option, value: value)
            }
        }
        return rules
    }
}
