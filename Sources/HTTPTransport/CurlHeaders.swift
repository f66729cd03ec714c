// SPDX-License-Identifier: Apache-2.0

import CCurl
import ReportUpload

/// Header lines as libcurl's linked list, freed with the object.
final class CurlHeaders {
    private(set) var list: UnsafeMutablePointer<curl_slist>?

    init(_ headers: [HTTPHeader]) throws(TransportError) {
        for header in headers {
            // `Name:` would remove a header; this is how an empty one is asked for.
            try append(header.value.isEmpty ? "\(header.name);" : "\(header.name): \(header.value)")
        }
        // Waiting for a 100 that many servers never send costs a second per report.
        try append("Expect:")
        // libcurl would call it application/x-www-form-urlencoded.
        let typeName = HTTPHeader.Name.contentType.lowercased()
        if !headers.contains(where: { $0.name.lowercased() == typeName }) {
            try append("\(HTTPHeader.Name.contentType):")
        }
    }

    deinit {
        epitaph_curl_slist_free_all(list)
    }

    private func append(_ line: String) throws(TransportError) {
        guard let longer = epitaph_curl_slist_append(list, line) else {
            throw .unavailable(reason: "there is no memory for the request's headers")
        }
        list = longer
    }
}
