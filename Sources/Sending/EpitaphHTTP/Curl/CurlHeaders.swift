// SPDX-License-Identifier: Apache-2.0

import CEpitaphLibraries

final class CurlHeaders {
    private(set) var list: UnsafeMutablePointer<curl_slist>?

    init(_ headers: [HTTPHeader]) throws(TransportError) {
        for header in headers {
            // `Name:` would remove a header; `Name;` sends an empty one.
            try append(header.value.isEmpty ? "\(header.name);" : "\(header.name): \(header.value)")
        }
        // Waiting for a 100, which many servers never send, would cost a second per report.
        try append("Expect:")
        // By default libcurl would send application/x-www-form-urlencoded.
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
