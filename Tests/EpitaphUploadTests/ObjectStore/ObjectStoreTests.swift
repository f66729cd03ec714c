// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphSystem
import EpitaphTestSupport
import EpitaphUpload
import EpitaphValues
import Foundation
import Testing

@Suite("Objects of a bucket")
struct ObjectStoreTests {
    private func store(
        _ server: TestServer, secret: String = "secret", rest: String = "/crashes/"
    ) throws -> ObjectStore {
        let variables = ["AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": secret]
        var options = TransportOptions()
        options.proxy = .none
        return ObjectStore(
            try BucketAddress(
                "http://127.0.0.1:\(server.port)\(rest)", environment: { variables[$0] }),
            by: try CurlTransport(options))
    }

    private func object(
        _ key: String, _ bytes: [UInt8], _ compression: BodyCompression = .gzip
    ) throws -> NewObject {
        NewObject(
            key: key, type: .bytes,
            body: try DigestedBody(StreamedBody([.bytes(ByteSlice(bytes))]), compression))
    }

    private func noise(_ count: Int) -> [UInt8] {
        var random = SplitMix(state: 3)
        return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }

    @Test(
        "What is put is found, looked at and fetched as it was, with any name and with gzip or not",
        arguments: [BodyCompression.gzip, .none],
        ["a/b.dmp", "ä ö/+=&?#%25.dmp", "(1)~'*!.dmp"])
    func roundTrip(compression: BodyCompression, key: String) throws {
        let server = try TestServer("bucket.py")
        let store = try store(server)
        let bytes = noise(3 << 20)
        let begin = Date().timeIntervalSince1970.rounded(.down)
        try store.put(object(key, bytes, compression))
        let end = Date().timeIntervalSince1970
        let properties = try store.head(key)
        #expect(properties.isCompressed == (compression == .gzip))
        #expect(properties.storedBytes > 1 << 20)
        let fetched = try store.get(key, limitBytes: 4 << 20)
        #expect(fetched.byteCount == bytes.count)
        let stored = try #require(fetched.stored).secondsSince1970
        #expect((begin...end).contains(stored))
        #expect(try fetched.file.readBytes(count: bytes.count + 1, at: 0) == bytes)
        var keys: [String] = []
        try store.list(prefix: "") {
            keys.append($0.key)
            return true
        }
        #expect(keys == [key])
        #expect(server.complaints.isEmpty, "\(server.complaints)")
    }

    @Test("A list comes whole in parts, in order, and ends when it is told to")
    func list() throws {
        let server = try TestServer("bucket.py", ["page=3"])
        let store = try store(server)
        let names = (0..<10).map { "a/\($0) +.dmp" }
        for name in names + ["b"] { try store.put(object(name, [1], .none)) }
        var keys: [String] = []
        try store.list(prefix: "a/") {
            keys.append($0.key)
            return true
        }
        #expect(keys == names)
        keys = []
        try store.list(prefix: "a/", after: names[7]) {
            keys.append($0.key)
            return true
        }
        #expect(keys == Array(names[8...]))
        var count = 0
        try store.list(prefix: "a/") { _ in
            count += 1
            return count < 4
        }
        #expect(count == 4)
    }

    @Test("What is too large, as stored or decompressed, is not fetched")
    func limits() throws {
        let server = try TestServer("bucket.py")
        let store = try store(server)
        try store.put(object("zeros", [UInt8](repeating: 0, count: 1 << 20)))
        try store.put(object("noise", noise(100_000), .none))
        for key in ["zeros", "noise"] {
            let error = #expect(throws: ObjectStoreError.self) {
                try store.get(key, limitBytes: 99_999)
            }
            guard case .tooLarge = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
        #expect(try store.get("noise", limitBytes: 100_000).byteCount == 100_000)
    }

    @Test("What is not there, a wrong key, another bucket and a broken object are told apart")
    func refusals() throws {
        let server = try TestServer("bucket.py")
        let good = try store(server)
        let missing = #expect(throws: ObjectStoreError.self) { try good.get("x", limitBytes: 9) }
        #expect(
            missing == .missing(place: "http://127.0.0.1:\(server.port)/crashes/x"),
            "\(String(describing: missing))")
        #expect(throws: ObjectStoreError.missing(place: good.place(of: "x"))) { try good.head("x") }
        let wrong = #expect(throws: ObjectStoreError.self) {
            try store(server, secret: "wrong").get("x", limitBytes: 9)
        }
        #expect(wrong?.description.contains("SignatureDoesNotMatch") == true)
        let bucket = #expect(throws: ObjectStoreError.self) {
            try store(server, rest: "/others/").list(prefix: "") { _ in true }
        }
        #expect(bucket?.description.contains("NoSuchBucket") == true)
        var broken = try object("broken", noise(1000), .none)
        broken.body = try DigestedBody(
            StreamedBody([.bytes(ByteSlice(noise(1000)))]), BodyCompression.none
        ).saying(.gzipEncoded)
        try good.put(broken)
        let gzip = #expect(throws: ObjectStoreError.self) {
            try good.get("broken", limitBytes: 1 << 20)
        }
        #expect(gzip?.description.contains("decompressed") == true, "\(String(describing: gzip))")
    }

    @Test("A region or a time that the store corrects costs one request more, once")
    func corrected() throws {
        let server = try TestServer("bucket.py", ["region=eu-west-1", "ahead=7200"])
        let store = try store(server)
        try store.put(object("a", [1], .none))
        try store.put(object("b", [1], .none))
        #expect(store.remarks.first?.contains("120 min behind") == true)
        let statuses = server.text("requests").split(separator: "\n").compactMap {
            $0.split(separator: " ").last
        }
        #expect(statuses == ["403", "400", "200", "200"])
    }
}

extension DigestedBody {
    fileprivate func saying(_ header: HTTPHeader) -> DigestedBody {
        DigestedBody(body: body, headers: [header], digest: digest)
    }
}
