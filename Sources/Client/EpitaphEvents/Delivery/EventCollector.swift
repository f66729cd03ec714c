// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphUpload
import EpitaphValues

/// A destination whose server takes events in forms of its own, in any number of requests.
protocol EventCollector: EventDestination {
    /// Sent one after the other, until one is not accepted; then all are sent again.
    func requests(for events: [Event]) throws(TransportError) -> [UploadRequest]

    /// How many events the server rejected although it accepted the request.
    func rejected(by answer: UploadResponse) -> Int

    func meaning(of answer: UploadResponse, now: Timestamp) -> AnswerMeaning
}

extension EventCollector {
    static func request(
        _ template: RequestTemplate, _ body: [UInt8]
    ) throws(TransportError) -> UploadRequest {
        try template.request(
            body: StreamedBody([.bytes(ByteSlice(body))]), type: .json, values: [:])
    }

    /// Lines that hold no event are left out.
    static func events(in body: any BodySource) throws(TransportError) -> [Event] {
        var bytes = [UInt8](repeating: 0, count: body.contentLength)
        var count = 0
        while count < bytes.count {
            var failure: TransportError?
            let read = bytes.withUnsafeMutableBytes { buffer -> Int in
                do throws(TransportError) {
                    return try body.read(
                        into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
                } catch {
                    failure = error
                    return 0
                }
            }
            if let failure { throw failure }
            guard read > 0 else { break }
            count += read
        }
        return bytes.prefix(count).split(separator: 0x0a).compactMap { Event(line: $0) }
    }
}
