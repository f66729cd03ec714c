// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphSystem
import EpitaphValues

/// The objects of one bucket. One request at a time, on the caller's thread, who decides about
/// retries (`ObjectStoreError.isTemporary`).
package struct ObjectStore {
    package var address: BucketAddress { bucket.address }
    package var timeLimits = TimeLimits()
    let bucket: BucketStore
    private let transport: any Transport

    package struct Properties: Sendable, Equatable {
        package var storedBytes: Int
        package var isCompressed: Bool
        /// The store's tag for its contents, if any.
        package var entityTag: String
    }

    package struct Fetched {
        /// An unnamed file.
        package let file: FileDescriptor
        /// After decompression.
        package let byteCount: Int
        /// When the store received it, by its own clock; nil if it does not say.
        package let stored: Timestamp?
    }

    package init(
        _ address: BucketAddress, by transport: any Transport,
        clock: any WallClock = SystemWallClock()
    ) {
        bucket = BucketStore(address, clock: clock)
        self.transport = transport
    }

    package var remarks: [String] { bucket.remarks }

    package func place(of key: String) -> String { "\(address.name)/\(key)" }

    package func put(_ object: NewObject) throws(ObjectStoreError) {
        let answer = try rethrowing(
            bucket.put(object, by: transport, timeLimits: timeLimits),
            as: ObjectStoreError.transport)
        try requireDone(answer, place(of: object.key))
    }

    package func head(_ key: String) throws(ObjectStoreError) -> Properties {
        let answer = try send(.head, key: key)
        try requireDone(answer, place(of: key))
        let headers = answer.response.headers
        return Properties(
            storedBytes: headers["Content-Length"].flatMap { Int($0) } ?? 0,
            isCompressed: headers.sayGzip, entityTag: headers["ETag"] ?? "")
    }

    /// Fetches an object into an unnamed file, decompressed if it is stored with gzip. `limitBytes`
    /// holds both as stored and decompressed.
    package func get(_ key: String, limitBytes: Int) throws(ObjectStoreError) -> Fetched {
        let stored = try scratchFile()
        let sink = AnswerFile(stored, limitBytes: limitBytes)
        let answer: BucketStore.Answer
        do throws(ObjectStoreError) {
            answer = try send(.get, key: key, into: sink)
        } catch {
            guard case .transport(.answerTooLarge) = error else { throw error }
            throw .tooLarge(place: place(of: key), limitBytes: limitBytes)
        }
        try requireDone(answer, place(of: key))
        // A part of the object was not asked for, so it does not count.
        guard answer.response.status == 200 else {
            throw .refused(
                place: place(of: key), status: answer.response.status, words: "",
                isTemporary: false)
        }
        let received = answer.response.headers["Last-Modified"].flatMap(RetryAfter.date)
        guard answer.response.headers.sayGzip else {
            return Fetched(file: stored, byteCount: sink.byteCount, stored: received)
        }
        let plain = try scratchFile()
        do throws(GzipProblem) {
            return Fetched(
                file: plain,
                byteCount: try Gunzip(limitBytes: limitBytes).run(from: stored, into: plain),
                stored: received)
        } catch {
            switch error {
            case .tooLarge: throw .tooLarge(place: place(of: key), limitBytes: limitBytes)
            case .broken(let reason): throw .broken(place: place(of: key), reason: reason)
            case .system(let error): throw .system(error)
            }
        }
    }

    private func scratchFile() throws(ObjectStoreError) -> FileDescriptor {
        return try rethrowing(ScratchFile().descriptor, as: ObjectStoreError.system)
    }

    func send(
        _ method: UploadRequest.Method, key: String,
        parameters: [(name: String, value: String)] = [], into sink: (any AnswerSink)? = nil
    ) throws(ObjectStoreError) -> BucketStore.Answer {
        do throws(TransportError) {
            let url = try address.url(key: key, parameters: parameters)
            var request = UploadRequest(method, from: url, into: sink, timeLimits: timeLimits)
            request.secrets = Secrets()
            return try bucket.send(request, bodyDigest: Self.emptyDigest, by: transport)
        } catch {
            throw .transport(error)
        }
    }

    func requireDone(
        _ answer: BucketStore.Answer, _ place: String
    ) throws(ObjectStoreError) {
        guard let refusal = answer.refusal else { return }
        let status = answer.response.status
        if status == 404, refusal.code != "NoSuchBucket" { throw .missing(place: place) }
        throw .refused(
            place: place, status: status, words: refusal.sentence,
            isTemporary: refusal.isTemporary(status: status))
    }

    private static let emptyDigest: [UInt8] = [
        0xe3, 0xb0, 0xc4, 0x42, 0x98, 0xfc, 0x1c, 0x14, 0x9a, 0xfb, 0xf4, 0xc8, 0x99, 0x6f, 0xb9,
        0x24, 0x27, 0xae, 0x41, 0xe4, 0x64, 0x9b, 0x93, 0x4c, 0xa4, 0x95, 0x99, 0x1b, 0x78, 0x52,
        0xb8, 0x55,
    ]
}

extension AnswerHeaders {
    fileprivate var sayGzip: Bool { self["Content-Encoding"]?.lowercased() == "gzip" }
}
