# SPDX-License-Identifier: Apache-2.0
"""Golden tables in a bucket, and how the command gets at them."""

import seaweed


class Lake:
    """A bucket of golden tables, uploaded on demand."""

    def __init__(self, endpoint, unpacked):
        from pyarrow import fs  # starts the client for S3: not before a test wants it

        self.endpoint = endpoint
        self._unpacked = unpacked
        self._uploaded = {}
        self._s3 = fs.S3FileSystem(
            access_key=seaweed.ACCESS_KEY,
            secret_key=seaweed.SECRET_KEY,
            endpoint_override=endpoint,
            scheme="http",
            region="us-east-1",
            allow_bucket_creation=True,
        )
        self._s3.create_dir(seaweed.BUCKET)

    def address(self, archive):
        """The s3:// address of a table, after copying all its files."""
        if archive not in self._uploaded:
            self._uploaded[archive] = self.upload(self._unpacked.path(archive), archive.stem)
        return self._uploaded[archive]

    def upload(self, root, name):
        """The s3:// address of a copy of the folder `root`."""
        for path in sorted(p for p in root.rglob("*") if p.is_file()):
            key = f"{seaweed.BUCKET}/{name}/{path.relative_to(root)}"
            with self._s3.open_output_stream(key) as out:
                out.write(path.read_bytes())
        return f"s3://{seaweed.BUCKET}/{name}"


def options(endpoint, secret=seaweed.SECRET_KEY):
    """Storage options of the command."""
    pairs = {
        "access_key_id": seaweed.ACCESS_KEY,
        "secret_access_key": secret,
        "endpoint_override": f"http://{endpoint}",
    }
    return tuple(part for k, v in pairs.items() for part in ("--storage-option", f"{k}={v}"))
