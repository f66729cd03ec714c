// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphSystem
import EpitaphUpload
import EpitaphValues

/// Reports in buckets as inputs of `explain`: `s3:https://ENDPOINT/BUCKET/KEY`, or `…/PREFIX/` for
/// all minidumps below it. The query is described in docs/destinations.md.
enum BucketName {
    static let prefix = "s3:"
    static let ending = ".dmp"

    static func isOne(_ input: String) -> Bool { input.hasPrefix(prefix) }

    static func isPrefix(_ input: String) -> Bool {
        isOne(input) && input.prefix { $0 != "?" }.hasSuffix("/")
    }

    static func input(
        forKey key: String, of address: BucketAddress, below input: String
    ) throws(TransportError) -> String {
        let query = input.drop { $0 != "?" }
        return prefix + (try address.url(key: key)).text + query
    }
}

enum BucketFailure: Error {
    case temporary(String)
    /// Other reports may still be fetched.
    case ofObject(String)
    /// No other report can be fetched either, for example because of wrong keys.
    case ofStore(String)

    /// - Parameter isAccessible: whether the store has answered a request before.
    init(_ error: ObjectStoreError, isAccessible: Bool) {
        let sentence = "\(error)"
        self =
            switch error {
            case _ where error.isTemporary: .temporary(sentence)
            case .missing, .tooLarge, .broken: .ofObject(sentence)
            // Rights may differ by object.
            case .refused(_, status: 403, _, _) where isAccessible: .ofObject(sentence)
            case .refused, .transport, .invalidList, .system: .ofStore(sentence)
            }
    }
}

/// Fetches and lists objects; remembers what it learns about buckets, such as the region.
final class BucketReader {
    /// Limit of a report as stored and decompressed.
    private static let mostBytes = 1 << 30
    private static let mostBuckets = 64

    private let seconds: Double
    private let transport: any Transport
    private var stores: [String: ObjectStore] = [:]
    private var isAccessible = false

    /// - Parameters:
    ///   - seconds: time limit of a request, repetitions included.
    ///   - caFile: the trusted authorities; nil for the system's.
    init(
        seconds: Double, caFile: String?, shouldStop: @escaping @Sendable () -> Bool = { false }
    ) {
        self.seconds = seconds
        var options = TransportOptions()
        options.caFile = caFile
        options.shouldStop = shouldStop
        let chosen = options
        transport = LazyTransport { () throws(TransportError) in try CurlTransport(chosen) }
    }

    func fetch(_ input: String) throws(BucketFailure) -> ObjectStore.Fetched {
        let (store, key) = try store(of: input)
        do throws(ObjectStoreError) {
            let found = try store.get(key, limitBytes: Self.mostBytes)
            isAccessible = true
            return found
        } catch {
            throw BucketFailure(error, isAccessible: isAccessible)
        }
    }

    /// Up to `count` inputs, after the key `previous`, which becomes the last key, or nil.
    func inputs(
        below input: String, after previous: inout String?, count: Int
    ) throws(BucketFailure) -> [String] {
        let (store, prefix) = try store(of: input)
        var keys: [String] = []
        do throws(ObjectStoreError) {
            try store.list(prefix: prefix, after: previous) { object in
                keys.append(object.key)
                return keys.count < count
            }
        } catch {
            throw BucketFailure(error, isAccessible: false)
        }
        previous = keys.count < count ? nil : keys.last
        do throws(TransportError) {
            var inputs: [String] = []
            for key in keys where key.hasSuffix(BucketName.ending) {
                inputs.append(try BucketName.input(forKey: key, of: store.address, below: input))
            }
            return inputs
        } catch {
            throw .ofObject("\(error)")
        }
    }

    private func store(of input: String) throws(BucketFailure) -> (ObjectStore, key: String) {
        let text = String(input.dropFirst(BucketName.prefix.count))
        let address = try rethrowing(BucketAddress(text)) { (error: SettingError) in
            BucketFailure.ofObject("\(error)")
        }
        let name = address.name + input.drop { $0 != "?" }
        if let known = stores[name] { return (known, address.rest) }
        var store = ObjectStore(address, by: transport)
        store.timeLimits.total.inSeconds = seconds
        store.timeLimits.stall.inSeconds = min(20, seconds)
        if stores.count >= Self.mostBuckets { stores.removeAll() }
        stores[name] = store
        return (store, address.rest)
    }
}

struct BucketListing {
    private static let pageCount = 1_000

    let input: String
    private let reader: BucketReader
    private var found: ArraySlice<String> = []
    private var last: String?
    private var isDone = false

    init(_ input: String, _ reader: BucketReader) {
        self.input = input
        self.reader = reader
    }

    mutating func next() throws(BucketFailure) -> String? {
        while found.isEmpty, !isDone {
            found = try reader.inputs(below: input, after: &last, count: Self.pageCount)[...]
            isDone = last == nil
        }
        return found.popFirst()
    }
}
