-- name: Skills :many
-- Empty filters match everything; owner_kind '' means any author.
SELECT * FROM ai_skill
WHERE name_key > @after
  AND (@target::text = '' OR targets @> ARRAY[@target::text])
  AND (@owner_kind::text = '' OR (owner_kind = @owner_kind AND owner_id = @owner_id))
  AND (@query::text = '' OR position(@query IN name_key) > 0 OR position(@query IN lower(description)) > 0 OR tags @> ARRAY[@query::text])
ORDER BY name_key
LIMIT @max_rows;

-- name: Skill :one
SELECT * FROM ai_skill WHERE id = @id;

-- name: LockSkill :one
SELECT * FROM ai_skill WHERE id = @id FOR UPDATE;

-- name: InsertSkill :one
INSERT INTO ai_skill (id, name, name_key, description, targets, system_prompt, prompt_template, output_fields, tags,
    owner_kind, owner_id, owner_name)
VALUES (@id, @name, @name_key, @description, @targets, @system_prompt, @prompt_template, @output_fields, @tags,
    @owner_kind, @owner_id, @owner_name)
RETURNING *;

-- name: UpdateSkill :execrows
-- A change without effect updates no row.
UPDATE ai_skill
SET name = @name, name_key = @name_key, description = @description, targets = @targets, system_prompt = @system_prompt,
    prompt_template = @prompt_template, output_fields = @output_fields, tags = @tags,
    revision = revision + 1, updated_at = now()
WHERE id = @id
  AND (name, description, targets, system_prompt, prompt_template, output_fields, tags)
      IS DISTINCT FROM (@name, @description, @targets::text[], @system_prompt, @prompt_template, @output_fields::jsonb, @tags::text[]);

-- name: DeleteSkill :execrows
DELETE FROM ai_skill WHERE id = @id;
