// SPDX-License-Identifier: Apache-2.0

import EpitaphLogUpload

let template = try Epitaph.RequestTemplate(.put, url: "http://127.0.0.1:1/{file}")
let uploader = try Epitaph.LogUploader(directory: CommandLine.arguments[1], to: template)
_ = uploader.stop()
print("used EpitaphLogUpload")
