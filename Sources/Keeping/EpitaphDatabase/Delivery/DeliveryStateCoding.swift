// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension DeliveryState {
    static let fileSizeLimit = 1 << 20

    private enum Field: String, CaseIterable {
        case version, final, attachments, consent
        case notBefore = "not_before"
        case quickTries = "quick_tries"
        case destinationTries = "destination_tries"
        case lastOutcome = "last_outcome"
        case acceptedServerID = "accepted_as"
    }

    private static let version: Int64 = 1

    init?(_ bytes: [UInt8]) {
        guard bytes.count < Self.fileSizeLimit, let fields = JSONValue.object(bytes),
            case .integer(1...)? = fields[Field.version.rawValue],
            let final = Self.boolean(fields[Field.final.rawValue]),
            let tries = Self.integer(fields[Field.quickTries.rawValue], default: 0),
            let spared = Self.integer(fields[Field.destinationTries.rawValue], default: 0),
            let seconds = Self.integer(fields[Field.notBefore.rawValue], default: 0),
            let choice = Self.text(fields[Field.attachments.rawValue]),
            let answer = Self.text(fields[Field.consent.rawValue])
        else { return nil }
        notBefore = seconds == 0 ? nil : Timestamp(wholeSeconds: seconds)
        quickTries = Int(clamping: max(tries, 0))
        destinationTries = Int(clamping: max(spared, 0))
        isFinal = final
        attachments = AttachmentChoice(rawValue: choice) ?? .sent
        consent = Consent(rawValue: answer)
        if let accepted = fields[Field.acceptedServerID.rawValue] {
            guard case .text(let serverID) = accepted else { return nil }
            acceptedServerID = Report.plainServerID(serverID)
        }
        if let outcome = fields[Field.lastOutcome.rawValue] {
            guard let read = Outcome(outcome) else { return nil }
            lastOutcome = read
            // Earlier versions blamed the report for a wrong address or key.
            if read.concernsDestination { isFinal = false }
        }
        let known = Set(Field.allCases.map(\.rawValue))
        otherFields = fields.filter { !known.contains($0.key) }
    }

    /// Nil if a text cannot be encoded; ours always can.
    var bytes: [UInt8]? {
        var fields = otherFields
        fields[Field.version.rawValue] = .integer(Self.version)
        let seconds = notBefore.map {
            Timestamp(secondsSince1970: $0.secondsSince1970 + 0.999)
        }
        fields[Field.notBefore.rawValue] = seconds.map { .integer($0.wholeSeconds) }
        if quickTries > 0 { fields[Field.quickTries.rawValue] = .integer(Int64(quickTries)) }
        if destinationTries > 0 {
            fields[Field.destinationTries.rawValue] = .integer(Int64(destinationTries))
        }
        if isFinal { fields[Field.final.rawValue] = .boolean(true) }
        if attachments != .sent { fields[Field.attachments.rawValue] = .text(attachments.rawValue) }
        fields[Field.consent.rawValue] = consent.map { .text($0.rawValue) }
        fields[Field.acceptedServerID.rawValue] = acceptedServerID.map { .text($0) }
        fields[Field.lastOutcome.rawValue] = lastOutcome?.json
        return JSONValue.bytes(fields)
    }

    // A missing field gets its default; one of another type makes the file broken.
    private static func boolean(_ value: JSONValue?) -> Bool? {
        guard let value else { return false }
        guard case .boolean(let boolean) = value else { return nil }
        return boolean
    }

    private static func integer(_ value: JSONValue?, default missing: Int64) -> Int64? {
        guard let value else { return missing }
        guard case .integer(let integer) = value else { return nil }
        return integer
    }

    private static func text(_ value: JSONValue?) -> String? {
        guard let value else { return "" }
        guard case .text(let text) = value else { return nil }
        return text
    }
}

extension DeliveryState.Outcome {
    fileprivate init?(_ value: JSONValue) {
        guard case .integer(let seconds)? = value["time"],
            case .text(let server)? = value["server"],
            case .text(let words)? = value["words"]
        else { return nil }
        var status: Int?
        if let field = value["status"] {
            guard case .integer(let number) = field else { return nil }
            status = Int(clamping: number)
        }
        var concernsDestination = status.map(Self.isAboutDestination) ?? false
        if case .boolean(let said)? = value["destination"] { concernsDestination = said }
        self.init(
            time: Timestamp(wholeSeconds: seconds), server: server, status: status, words: words,
            concernsDestination: concernsDestination)
    }

    /// For files of earlier versions, which did not store this.
    private static func isAboutDestination(_ status: Int) -> Bool {
        [401, 403, 404, 407].contains(status)
    }

    fileprivate var json: JSONValue {
        var fields: [String: JSONValue] = [
            "time": .integer(time.wholeSeconds), "server": .text(server), "words": .text(words),
            "destination": .boolean(concernsDestination),
        ]
        fields["status"] = status.map { .integer(Int64($0)) }
        return .object(fields)
    }
}
