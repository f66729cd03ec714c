// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphSystem
import EpitaphValues

/// A bucket of an object store with S3's protocol. A report is several objects, named after its id:
/// the minidump, each attachment, and last a JSON document that lists them.
/// docs/decisions/other-uploads.md
package struct BucketDestination: ReportDestination {
    package var compression = BodyCompression.gzip
    package var timeLimits = TimeLimits()
    private let store: BucketStore
    private let template: TemplateText

    /// - Parameter address: the bucket and the prefix of a report's objects, which contains
    ///   `{uuid}` and may contain `{client}`, `{product}` and `{version}`.
    package init(
        _ address: BucketAddress, clock: any WallClock = SystemWallClock()
    ) throws(SettingError) {
        guard let template = TemplateText(address.rest), address.rest.has("{uuid}"),
            !address.rest.has("{file}")
        else {
            throw SettingError(
                "the names of objects must have {uuid} in them, as in"
                    + " s3:https://HOST/BUCKET/{uuid}; {client}, {product} and {version} are known besides"
            )
        }
        self.template = template
        store = BucketStore(address, clock: clock)
    }

    package var server: String { store.address.endpoint.server }

    package var identity: DestinationIdentity {
        let address = store.address
        let key = try? address.keys.key()
        return DestinationIdentity(
            ["s3", address.name, address.rest, address.region, key?.id ?? "", key?.secret ?? ""])
    }

    package var remarks: [String] { store.remarks }

    package func request(
        for report: OutgoingReport, random: inout some RandomNumberGenerator
    ) throws(TransportError) -> UploadRequest {
        try store.request(
            making: NewObject(
                key: try baseKey(of: report) + ".dmp", type: .bytes,
                body: try DigestedBody(
                    StreamedBody([try report.minidump.opened()]), compression)),
            isConditional: store.takesConditions, timeLimits: timeLimits)
    }

    package func deliver(
        _ report: OutgoingReport, by transport: any Transport,
        adjusting adjust: (inout UploadRequest) throws(TransportError) -> Void,
        random: inout some RandomNumberGenerator
    ) throws(TransportError) -> UploadResponse {
        let base = try baseKey(of: report)
        var stored: [BucketEntry.Object] = []
        let contents =
            [(nil, base + ".dmp", report.minidump, MediaType.bytes)]
            + Self.keys(of: report.attachments, under: base)
        for (name, key, content, type) in contents {
            let piece = try content.opened()
            let answer = try store.put(
                NewObject(
                    key: key, type: type,
                    body: try DigestedBody(StreamedBody([piece]), compression)),
                by: transport, timeLimits: timeLimits, adjusting: adjust)
            if let refusal = answer.refusal { return refused(answer, refusal) }
            stored.append(.init(name: name, key: key, bytes: piece.count, type: type.text))
        }
        let entry = BucketEntry(report, minidump: stored[0], attachments: Array(stored.dropFirst()))
        let answer = try store.put(
            NewObject(
                key: base + ".json", type: .json,
                body: try DigestedBody(
                    StreamedBody([.bytes(ByteSlice(entry.json()))]), .none)),
            by: transport, timeLimits: timeLimits, adjusting: adjust)
        if let refusal = answer.refusal { return refused(answer, refusal) }
        return UploadResponse(status: answer.response.status, body: Array("\(base).dmp".utf8))
    }

    /// The answer, with a sentence as its body instead of a document.
    private func refused(
        _ answer: BucketStore.Answer, _ refusal: StoreRefusal
    ) -> UploadResponse {
        var response = answer.response
        response.body = Array(refusal.sentence.utf8)
        // An error in an answer with the status of a success is not a success.
        if response.isSuccess { response.status = 500 }
        return response
    }

    /// Judged by the store's code, which says more than the status.
    package func meaning(of response: UploadResponse, now: Timestamp) -> AnswerMeaning {
        let meaning = AnswerMeaning(response, now: now)
        guard !response.isSuccess else { return meaning }
        switch response.status {
        // A new bucket may answer this for some hours, until it is known everywhere.
        case 307: return .retry(notBeforeSeconds: nil)
        // The bucket is somewhere else, which affects every report.
        case 300..<400: return .destinationRefused
        default: break
        }
        return StoreRefusal(sentence: response.text).meaning(meaning)
    }

    package func serverID(in response: UploadResponse) -> String { response.text }

    private func baseKey(of report: OutgoingReport) throws(TransportError) -> String {
        let key = template.filled(
            with: [
                .uuid: report.uuid.description,
                .client: report.clientID.description,
                .product: report.annotations["prod"] ?? "unknown",
                .version: report.annotations["ver"] ?? "unknown",
            ],
            encoding: Self.part)
        // A key may have 1,024 bytes, an attachment's name up to 255:
        // docs.aws.amazon.com/AmazonS3/latest/userguide/object-keys.html.
        guard key.utf8.count <= 600 else {
            throw .invalidURL(reason: "the key of the object would be longer than stores allow")
        }
        return key
    }

    private static func part(_ text: String) -> String {
        let plain = text.oneLine(limit: 100).replacingEach("/", with: "_")
        return ["", ".", ".."].contains(plain) ? "_" : plain
    }

    /// A key for each attachment, different even if attachments have the same name.
    private static func keys(
        of attachments: [OutgoingAttachment], under base: String
    ) -> [(name: String?, key: String, content: OutgoingContent, type: MediaType)] {
        var taken: Set<String> = []
        return attachments.map { attachment in
            let name = part(attachment.name)
            var free = name
            var number = 1
            while !taken.insert(free).inserted {
                number += 1
                free = "\(name)_\(number)"
            }
            return (attachment.name, "\(base)/\(free)", attachment.content, attachment.type)
        }
    }
}
