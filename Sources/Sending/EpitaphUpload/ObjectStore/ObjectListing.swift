// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP

package struct ListedObject: Sendable, Equatable {
    package let key: String
    package let storedBytes: Int
}

extension ObjectStore {
    /// Enough for 1,000 objects with the longest names.
    private static let listLimitBytes = 16 << 20

    /// The objects whose names begin with `prefix` and come after `previous`, by the bytes of
    /// names. `visit` ends the list by returning false. Names are not percent-encoded.
    package func list(
        prefix: String, after previous: String? = nil, visit: (ListedObject) -> Bool
    ) throws(ObjectStoreError) {
        var token: String?
        while true {
            var parameters = [
                ("encoding-type", "url"), ("list-type", "2"), ("prefix", prefix),
            ]
            if let token {
                parameters.append(("continuation-token", token))
            } else if let previous {
                parameters.append(("start-after", previous))
            }
            let part = try part(parameters, prefix: prefix)
            for object in part.objects where !visit(object) { return }
            guard let next = part.nextToken else { return }
            guard next != token, !part.objects.isEmpty else {
                throw invalid("its next part is the one that was just read", prefix)
            }
            token = next
        }
    }

    private func part(
        _ parameters: [(name: String, value: String)], prefix: String
    ) throws(ObjectStoreError) -> ListPart {
        let sink = AnswerBytes(limitBytes: Self.listLimitBytes)
        let answer = try send(.get, key: "", parameters: parameters, into: sink)
        try requireDone(answer, place(of: prefix))
        // An error can also come with the status of a success.
        if let refusal = StoreRefusal(UploadResponse(status: 200, body: sink.bytes)) {
            throw .refused(
                place: place(of: prefix), status: answer.response.status, words: refusal.sentence,
                isTemporary: refusal.isTemporary(status: 500))
        }
        guard let part = ListPart(sink.bytes) else {
            throw invalid("it is not what S3 answers", prefix)
        }
        guard part.objects.allSatisfy({ $0.key.utf8.starts(with: prefix.utf8) }) else {
            throw invalid("it has objects that were not asked for", prefix)
        }
        return part
    }

    private func invalid(_ reason: String, _ prefix: String) -> ObjectStoreError {
        .invalidList(place: place(of: prefix), reason: reason)
    }
}

/// One answer to ListObjectsV2: docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html.
struct ListPart {
    let objects: [ListedObject]
    let nextToken: String?

    init?(_ bytes: [UInt8]) {
        guard let root = XMLElement(bytes), root.name == "ListBucketResult" else { return nil }
        let isEncoded = root["EncodingType"] == "url"
        var objects: [ListedObject] = []
        for entry in root.children where entry.name == "Contents" {
            guard let key = entry["Key"], let size = entry["Size"].flatMap({ Int($0) }), size >= 0
            else { return nil }
            objects.append(
                ListedObject(key: isEncoded ? Self.decoded(key) : key, storedBytes: size))
        }
        self.objects = objects
        let isCut = root["IsTruncated"] == "true"
        nextToken = isCut ? root["NextContinuationToken"] : nil
        guard !isCut || nextToken != nil else { return nil }
    }

    /// Encoded as in a form: a plus sign is a blank.
    private static func decoded(_ key: String) -> String {
        percentDecoded(key.replacingEach("+", with: " "))
    }
}
