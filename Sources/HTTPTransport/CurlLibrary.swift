// SPDX-License-Identifier: Apache-2.0

import CCurl
import ReportUpload

/// libcurl, loaded and initialised once for the whole process.
enum CurlLibrary {
    /// Nil when it can be used, otherwise why not.
    private static let problem: String? = {
        if let reason = epitaph_curl_load() {
            return "libcurl cannot be loaded (\(String(cString: reason))); "
                + "install it to send reports, on Debian with: apt-get install libcurl4"
        }
        // Before any other thread uses it: curl_global_init(3).
        let code = epitaph_curl_global_init(Int(CURL_GLOBAL_DEFAULT))
        return code == CURLE_OK ? nil : "libcurl cannot be initialised"
    }()

    /// Must have succeeded before anything else of libcurl is called.
    static func require() throws(TransportError) {
        if let problem { throw .unavailable(reason: problem) }
    }
}
